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
)

const (
	maxScript = 64 << 20 // bytes; a larger file is no script
	maxWords  = 512      // of an entry; more are not told from each other
)

// script is a file that an entry names, as it is now.
type script struct {
	path string // absolute
	sum  string // of its bytes
}

// scripts finds the files that an entry names, sorted. Whatever could be a
// path and is one counts: a file too many is asked about once too often, one too
// few would run unseen. What these files load themselves is not found.
func (e Entry) scripts(folder string) ([]script, error) {
	dir := e.Dir
	if dir == "" {
		dir = folder
	}
	words, err := e.words(folder)
	if err != nil {
		return nil, err
	}
	bases := []string{dir}
	if dir != folder {
		bases = append(bases, folder)
	}
	for _, w := range words { // as in "cd tools && ./lint.sh"
		if path := absolute(dir, w); path != dir && path != folder && isFolder(path) {
			bases = append(bases, path)
		}
	}
	paths := map[string]bool{}
	for _, b := range bases {
		for _, w := range words {
			for _, path := range meanings(b, w) {
				if !paths[path] && isFile(path) && !ofSystem(path, folder) {
					paths[path] = true
				}
			}
		}
	}
	var l []script
	for p := range paths {
		sum, err := sumOf(p)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p, err)
		}
		l = append(l, script{p, sum})
	}
	slices.SortFunc(l, func(a, b script) int { return strings.Compare(a.path, b.path) })
	return l, nil
}

// meanings are the paths that a word may stand for in a folder: interpreters add
// endings, take a folder for a file in it, and dots for slashes.
func meanings(folder, word string) []string {
	path := absolute(folder, word)
	l := []string{path}
	if filepath.Ext(path) == "" {
		for _, ending := range []string{".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".pl", ".sh"} {
			l = append(l, path+ending)
		}
	}
	if module := strings.ReplaceAll(word, ".", "/"); module != word && filepath.IsLocal(module) { // python -m tools.lint
		l = append(l, absolute(folder, module)+".py")
	}
	if path != folder && isFolder(path) {
		for _, entrance := range []string{"index.js", "package.json", "__main__.py"} {
			l = append(l, filepath.Join(path, entrance))
		}
	}
	return l
}

// manifests are the files in which programs look up what a word of theirs runs.
var manifests = map[string][]string{
	"npm": {"package.json"}, "npx": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"},
	"make": {"GNUmakefile", "makefile", "Makefile"}, "just": {"justfile", "Justfile", ".justfile"},
}

// words are the texts of an entry that may be paths.
func (e Entry) words(folder string) ([]string, error) {
	var l []string
	add := func(w string) {
		w = inFolder(w, folder)
		if w != "" && !slices.Contains(l, w) {
			l = append(l, w)
			l = append(l, manifests[w]...)
		}
	}
	texts := append([]string{e.Command}, e.Args...)
	for _, v := range e.Env { // NODE_OPTIONS=--require=./x.js
		texts = append(texts, v)
	}
	for _, t := range texts {
		add(t)
		for _, w := range shellWords(t) {
			add(w)
			for _, p := range strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'=,:;", r) }) {
				add(p)
			}
		}
		if len(l) > maxWords {
			return nil, errors.New("its command has too many words to tell which files it runs")
		}
	}
	return l, nil
}

// shellWords splits as a shell would, roughly: without quotes and backslashes,
// at white space and operators.
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
		case r == '\\' && quote != '\'':
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

// places are the variables that stand for the folder in a hook's command.
var places = []string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "EMENDO_PROJECT_DIR", "GEMINI_CWD", "EMENDO_CWD", "PWD"}

func inFolder(w, folder string) string {
	for _, p := range places {
		w = strings.ReplaceAll(w, "${"+p+"}", folder)
		w = strings.ReplaceAll(w, "$"+p, folder)
	}
	return w
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isFile reports whether there is something at path that could be run or read;
// what cannot be looked at is, and fails later.
func isFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ENAMETOOLONG) && !errors.Is(err, syscall.EINVAL)
	}
	return info.Mode().IsRegular()
}

// ofSystem reports whether a file outside the folder is the system's own: that
// it is updated is no reason to ask again.
func ofSystem(path, folder string) bool {
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return false
	}
	for _, dir := range systemFolders {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/opt", "/nix", "/dev", "/System", "/Library", `C:\Windows`, `C:\Program Files`, `C:\Program Files (x86)`}

func sumOf(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that has come meanwhile does not hold us up
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxScript+1))
	if err != nil {
		return "", err
	}
	if n > maxScript {
		return "", fmt.Errorf("it is larger than %d bytes, and so no script that can be approved", maxScript)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
