package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/emendo-dev/emendo/internal/paths"
)

const (
	maxScript = 256 << 20 // bytes; a larger file is not a script
	maxWords  = 512       // in an entry; with more, it cannot be approved
	maxBases  = 64        // folders that words may be relative to
)

// script is the current version of a file that an entry names.
type script struct {
	path string // absolute
	sum  string // of its content
}

// scripts finds the files that an entry names, sorted. Every word that could be
// the path of an existing file counts: a file too many makes emendo ask once
// too often, a missing one would run unseen. Files that these files load are
// not found, and what a program only works on does not count. If read is not nil,
// it is given the content of each file while that is hashed.
func (e Entry) scripts(folder string, read func(path string) (io.WriteCloser, error)) ([]script, error) {
	words, err := e.words()
	if err != nil {
		return nil, err
	}
	bases := []string{""}
	if !e.Private {
		if bases, err = e.bases(folder, words); err != nil {
			return nil, err
		}
	}
	paths := map[string]bool{}
	for _, b := range bases {
		for _, w := range words {
			for _, path := range meanings(b, w.text) {
				if !paths[path] && isFile(path) && !ofSystem(path, folder) && !w.use.spares(path) {
					paths[path] = true
				}
			}
		}
	}
	var l []script
	for p := range paths {
		sum, err := sumOf(p, read)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p, err)
		}
		l = append(l, script{p, sum})
	}
	slices.SortFunc(l, func(a, b script) int { return strings.Compare(a.path, b.path) })
	return l, nil
}

// bases returns the folders that words may be relative to: where the entry
// starts, the folder that it belongs to, and those that it may enter from
// there, as in "cd tools && cd lint && ./run.sh".
func (e Entry) bases(folder string, words []word) ([]string, error) {
	bases := []string{folder}
	if e.Dir != "" && e.Dir != folder {
		bases = append(bases, e.Dir)
	}
	for i := 0; i < len(bases); i++ {
		for _, w := range words {
			path := paths.Absolute(w.text, bases[i])
			if !slices.Contains(bases, path) && paths.IsFolder(path) && !ofSystem(path, folder) {
				bases = append(bases, path)
			}
		}
		if len(bases) > maxBases {
			return nil, errors.New("its command names too many folders to check which files it runs")
		}
	}
	return bases, nil
}

// meanings returns the paths that a word may mean in a folder: interpreters
// append extensions, take a folder for a file in it, and dots for slashes.
func meanings(folder, word string) []string {
	if folder == "" && !filepath.IsAbs(word) {
		return nil
	}
	path := paths.Absolute(word, folder)
	l := []string{path}
	if filepath.Ext(path) == "" {
		for _, ending := range []string{".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".pl", ".sh"} {
			l = append(l, path+ending)
		}
	}
	if module := strings.ReplaceAll(word, ".", "/"); module != word && filepath.IsLocal(module) { // python -m tools.lint
		l = append(l, paths.Absolute(module, folder)+".py")
		for parent := filepath.Dir(module); parent != "."; parent = filepath.Dir(parent) { // which run first
			l = append(l, filepath.Join(paths.Absolute(parent, folder), "__init__.py"))
		}
	}
	if path != folder && paths.IsFolder(path) {
		for _, entrance := range []string{"index.js", "package.json", "__init__.py", "__main__.py"} {
			l = append(l, filepath.Join(path, entrance))
		}
	}
	return l
}

// manifests lists the files in which programs look up what a word runs.
var manifests = map[string][]string{
	"npm": {"package.json"}, "npx": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"},
	"make": {"GNUmakefile", "makefile", "Makefile"}, "just": {"justfile", "Justfile", ".justfile"},
}

// A word is a text of an entry that may be a path, and how the program uses it.
type word struct {
	text string
	use  use
}

// words returns the texts of an entry that may be paths.
func (e Entry) words() ([]word, error) {
	var l []word
	add := func(w string, u use) {
		for _, w := range []string{w, literal(w), attached(w)} {
			if w != "" && !slices.Contains(l, word{w, u}) {
				l = append(l, word{w, u})
				for _, m := range manifests[filepath.Base(w)] {
					l = append(l, word{m, runs})
				}
			}
		}
	}
	for _, t := range e.texts() {
		add(t.text, t.use)
		for _, w := range shellWords(t.text) {
			add(w, t.use)
			for _, p := range strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'=,:;", r) }) {
				add(p, t.use)
			}
		}
		if len(l) > maxWords {
			return nil, errors.New("its command has too many words to check which files it runs")
		}
	}
	return l, nil
}

// attached returns the rest of a word after an option's letter, as in -r./x.js
// and -mtools.lint, or after an at sign; empty if there is neither.
func attached(w string) string {
	switch {
	case len(w) > 2 && w[0] == '-' && w[1] != '-':
		return w[2:]
	case len(w) > 1 && w[0] == '@':
		return w[1:]
	}
	return ""
}

// literal returns the path at the end of a word, after what a shell
// substitutes: a variable, as in "$GEMINI_PROJECT_DIR/x" and "${DIR:-.}/x", or
// the output of a command; "$(pwd)/x" leaves "/x". It is empty if there is
// none. A substitution that leads into the project leads to one of the folders
// that words are relative to.
func literal(w string) string {
	put := strings.LastIndexAny(w, "$}") + 1
	slash := strings.IndexFunc(w[put:], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	if slash < 0 || put == 0 && slash > 0 {
		return ""
	}
	return strings.TrimLeft(w[put+slash:], `/\`)
}

// shellWords splits text roughly as a shell would, at white space and
// operators. It removes quotes, and backslashes that are not path separators.
func shellWords(s string) []string {
	var l []string
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			l = append(l, b.String())
			b.Reset()
		}
	}
	var quote rune
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && !os.IsPathSeparator('\\'):
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '"' || r == '\'':
			quote = r
		case strings.ContainsRune(" \t\r\n;&|()<>`", r):
			end()
		default:
			b.WriteRune(r)
		}
	}
	end()
	return l
}

// isFile reports whether there is something at path that could be run or read.
// If that is unknown it returns true, and reading it fails later.
func isFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ENAMETOOLONG) && !errors.Is(err, syscall.EINVAL)
	}
	return info.Mode().IsRegular()
}

// ofSystem reports whether a file outside the folder belongs to the system: its
// updates are no reason to ask again.
func ofSystem(path, folder string) bool {
	return !paths.Within(path, folder) && paths.WithinAny(path, systemFolders)
}

var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/opt", "/nix", "/dev", "/System", "/Library", `C:\Windows`, `C:\Program Files`, `C:\Program Files (x86)`}

// sumOf returns the hash of a file's content. If read is not nil, the content is written
// to what it returns as well.
func sumOf(path string, read func(path string) (io.WriteCloser, error)) (sum string, err error) {
	f, err := paths.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	to := io.Writer(h)
	if read != nil {
		w, err := read(path)
		if err != nil {
			return "", err
		}
		defer func() {
			if closed := w.Close(); err == nil && closed != nil {
				sum, err = "", closed
			}
		}()
		to = io.MultiWriter(h, w)
	}
	n, err := io.Copy(to, io.LimitReader(f, maxScript+1))
	if err != nil {
		return "", err
	}
	if n > maxScript {
		return "", fmt.Errorf("larger than %d bytes; it cannot be approved", maxScript)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
