package provider

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/internal/redact"
)

// KeyFile is a file with a line NAME=KEY for each key, for users who keep their
// keys out of the environment. Nobody but its owner may read it.
type KeyFile struct {
	Path    string
	Secrets *redact.Redactor // learns the keys
}

// maxKeys limits the size of the file, in bytes.
const maxKeys = 64 << 10

// Read returns the keys by name; none if there is no file. A file that others can
// read, or that belongs to another user, is refused.
func (k KeyFile) Read() (map[string]string, error) {
	f, err := os.OpenFile(k.Path, os.O_RDONLY|private.AsIs, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the keys in %s: %w", k.Path, reasonOf(err))
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the keys in %s: %w", k.Path, reasonOf(err))
	}
	switch mode := fi.Mode(); {
	case !mode.IsRegular():
		return nil, fmt.Errorf("ignoring the keys in %s: not a regular file", k.Path)
	case !private.IsMine(fi):
		return nil, fmt.Errorf("ignoring the keys in %s: the file belongs to another user", k.Path)
	case runtime.GOOS != "windows" && mode.Perm()&0o077 != 0:
		return nil, fmt.Errorf("ignoring the keys in %s: other users can access the file (mode %04o); run chmod 600 on it, and replace the keys if they may have been read", k.Path, mode.Perm())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeys))
	if err != nil {
		return nil, fmt.Errorf("read the keys in %s: %w", k.Path, reasonOf(err))
	}
	return k.parse(string(b))
}

// parse reads the lines. Errors never quote them.
func (k KeyFile) parse(text string) (map[string]string, error) {
	keys := map[string]string{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if ok && value != "" {
			k.Secrets.Learn(redact.Secret{Name: name, Value: value})
		}
		if !ok || !slices.Contains(providers.Variables(providers.Any), name) {
			return nil, fmt.Errorf("%s:%d: want NAME=KEY, where NAME is one of %s", k.Path, n, strings.Join(providers.Variables(providers.Any), ", "))
		}
		keys[name] = value
	}
	return keys, nil
}

// reasonOf returns err without the path, which the message has already.
func reasonOf(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
