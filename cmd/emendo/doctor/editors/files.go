package editors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Limits of what is read of a configuration.
const (
	largest   = 1 << 20 // bytes of a file
	mostFiles = 500     // of a folder
	deepest   = 4       // levels of folders
)

// read returns the text of a file; nil if there is none, or if it is too large.
func read(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largest {
		return nil
	}
	text, _ := os.ReadFile(path) // without permission it is not known
	return text
}

// readJSON decodes a JSON file that may have comments, as far as there is one.
func readJSON(path string, into any) {
	if plain, err := hujson.Standardize(bytes.TrimPrefix(read(path), []byte("\xef\xbb\xbf"))); err == nil {
		_ = json.Unmarshal(plain, into) // what does not fit is not known
	}
}

// exists reports whether there is a file or folder.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// glob returns the files that match the pattern.
func glob(pattern ...string) []string {
	found, _ := filepath.Glob(filepath.Join(pattern...)) // the pattern is ours
	return found
}

// mentions returns the first of the files that mentions emendo outside comments, or "".
// A comment is a line that begins with the mark.
func mentions(comment string, files ...string) string {
	for _, f := range files {
		for line := range bytes.Lines(read(f)) {
			line = bytes.TrimSpace(line)
			if bytes.Contains(line, []byte("emendo")) && !bytes.HasPrefix(line, []byte(comment)) {
				return f
			}
		}
	}
	return ""
}

// configured returns the files of a folder with one of the extensions, a few levels
// deep. It leaves out folders that hold packages.
func configured(dir string, extensions ...string) (files []string) {
	if real, err := filepath.EvalSymlinks(dir); err == nil { // it is often kept in a repository elsewhere
		dir = real
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read is left out
		switch {
		case err != nil:
			return fs.SkipDir
		case len(files) >= mostFiles:
			return fs.SkipAll
		case !d.IsDir():
			if slices.Contains(extensions, filepath.Ext(path)) {
				files = append(files, path)
			}
			return nil
		case path == dir:
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		packages := []string{"elpa", "straight", "elpaca", "eln-cache", "pack", "plugged", "bundle", "undo", "backup"}
		if err != nil || strings.HasPrefix(d.Name(), ".") || slices.Contains(packages, d.Name()) || strings.Count(rel, string(filepath.Separator)) >= deepest {
			return fs.SkipDir
		}
		return nil
	})
	return files
}

// home returns the user's home folder.
func (m Machine) home() string { return m.Home }

// config returns the folder of the user's configuration files.
func (m Machine) config() string { return m.folder("XDG_CONFIG_HOME", ".config") }

// data returns the folder of the user's data files.
func (m Machine) data() string { return m.folder("XDG_DATA_HOME", ".local", "share") }

// folder returns the folder of a variable, or one in the home folder.
func (m Machine) folder(variable string, otherwise ...string) string {
	if dir := m.Env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(append([]string{m.Home}, otherwise...)...)
}

// local returns the folder of a Windows user's data on this machine.
func (m Machine) local() string { return m.folder("LOCALAPPDATA", "AppData", "Local") }

// roaming returns the folder of a Windows user's settings.
func (m Machine) roaming() string { return m.folder("APPDATA", "AppData", "Roaming") }

// library returns a macOS user's folder of application data.
func (m Machine) library() string { return filepath.Join(m.Home, "Library", "Application Support") }

// applications returns paths of programs inside applications of macOS; of Windows, below
// the folders in which programs are installed.
func (m Machine) applications(paths []string) (all []string) {
	var below []string
	switch m.OS {
	case "darwin":
		below = []string{m.under("/Applications"), filepath.Join(m.Home, "Applications")}
	case "windows":
		below = []string{filepath.Join(m.local(), "Programs"), cmp.Or(m.Env("ProgramFiles"), `C:\Program Files`)}
	}
	for _, dir := range below {
		for _, p := range paths {
			all = append(all, glob(dir, filepath.FromSlash(p))...)
		}
	}
	return all
}

// isEmendo reports whether a command of a configuration starts emendo.
func isEmendo(command string) bool {
	command = command[strings.LastIndexAny(command, `/\`)+1:]
	return command == "emendo" || command == "emendo.exe"
}

// shown returns a path as the user would write it.
func (m Machine) shown(path string) string {
	if rest, ok := strings.CutPrefix(path, m.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
