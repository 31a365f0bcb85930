package extensions

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/trust"
)

// Limits of what is copied.
const (
	maxFiles = 20_000
	maxBytes = 512 << 20
)

// install copies an extension from a folder into the user's, after showing what it does. It
// shows the copy, so later changes in the folder have no effect. It replaces an extension
// of the same name.
func (c Command) install(source string, given bool) (err error) {
	source, err = filepath.Abs(source)
	if err != nil {
		return err
	}
	if info, err := os.Stat(source); err != nil || !info.IsDir() {
		return cli.BadInput("extensions install: %s is not a folder; download the extension first and name its folder", source)
	}
	if _, err := extension.Read(source, source); err != nil {
		return cli.BadInput("%s: %v", source, err)
	}
	if err := os.MkdirAll(c.folder(), 0o700); err != nil {
		return err
	}
	copied, err := os.MkdirTemp(c.folder(), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(copied)
	if err := copyTree(source, copied); err != nil {
		return fmt.Errorf("copy the extension %s: %w", source, err)
	}
	if err := extension.RecordSource(copied, source); err != nil {
		return err
	}
	first, err := extension.Read(copied, copied) // for its name
	if err != nil {
		return cli.BadInput("%s: %v", source, err)
	}
	final := filepath.Join(c.folder(), first.Name)
	e, err := extension.Read(copied, final)
	if err != nil {
		return cli.BadInput("%s: %v", source, err)
	}
	v, err := inventory.OfExtension(e, copied, c.Env)
	if err != nil {
		return err
	}
	var shown []trust.Look
	for _, entry := range v.Starts {
		shown = append(shown, trust.Look{Entry: entry})
	}
	if err := c.consent(e, v, shown, given, "install "+source); err != nil {
		return err
	}
	if err := replace(copied, final); err != nil {
		return fmt.Errorf("install the extension %s: %w", e.Name, err)
	}
	if _, looks, err := c.looks(e, final); err != nil {
		return err
	} else if err := c.Store.ApproveOnly(final, looks...); err != nil {
		return err
	}
	return c.report("installed %s %s in %s", e.Name, e.Version, final)
}

// replace moves a folder to a place where there may be an older one.
func replace(folder, place string) error {
	old := folder + ".old"
	switch err := os.Rename(place, old); {
	case errors.Is(err, fs.ErrNotExist):
		return os.Rename(folder, place)
	case err != nil:
		return err
	}
	if err := os.Rename(folder, place); err != nil {
		return errors.Join(err, os.Rename(old, place))
	}
	return os.RemoveAll(old)
}

// copyTree copies the files of a folder into another one, without git's data. Links
// are copied if they stay in the folder.
func copyTree(from, to string) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	files, bytes := 0, int64(0)
	return fs.WalkDir(source.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if files++; files > maxFiles {
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		switch mode := d.Type(); {
		case mode.IsDir():
			return target.Mkdir(name, 0o700)
		case mode&fs.ModeSymlink != 0:
			return copyLink(source, target, name)
		case !mode.IsRegular():
			return fmt.Errorf("%s is neither a file, a folder nor a link", name)
		}
		n, err := copyFile(source, target, name, maxBytes-bytes)
		bytes += n
		return err
	})
}

func copyLink(source, target *os.Root, name string) error {
	to, err := source.Readlink(name)
	if err != nil {
		return err
	}
	if filepath.IsAbs(to) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), to)) {
		return fmt.Errorf("%s is a link that leads out of the folder", name)
	}
	return target.Symlink(to, name)
}

// copyFile copies a file of at most room bytes. Of its mode, it keeps whether the owner
// may run it.
func copyFile(source, target *os.Root, name string, room int64) (int64, error) {
	in, err := source.Open(name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file", name)
	}
	out, err := target.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600|info.Mode().Perm()&0o100)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, room+1))
	if n > room {
		err = errors.Join(err, fmt.Errorf("its files have more than %d MiB", maxBytes>>20))
	}
	return n, errors.Join(err, out.Close())
}

// Confirmed reports whether an answer to a question means yes.
func Confirmed(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
