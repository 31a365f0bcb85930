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
	maxBases  = 64       // folders that its words may be relative to
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
	words, err := e.words()
	if err != nil {
		return nil, err
	}
	bases, err := e.bases(folder, words)
	if err != nil {
		return nil, err
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

// bases are the folders that words may be relative to: those where the entry is
// started and whose entry it is, and those that it may enter from there, as in
// "cd tools && cd lint && ./run.sh".
func (e Entry) bases(folder string, words []string) ([]string, error) {
	bases := []string{folder}
	if e.Dir != "" && e.Dir != folder {
		bases = append(bases, e.Dir)
	}
	for i := 0; i < len(bases); i++ {
		for _, w := range words {
			path := absolute(bases[i], w)
			if !slices.Contains(bases, path) && isFolder(path) && !ofSystem(path, folder) {
				bases = append(bases, path)
			}
		}
		if len(bases) > maxBases {
			return nil, errors.New("its command names too many folders to tell which files it runs")
		}
	}
	return bases, nil
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
func (e Entry) words() ([]string, error) {
	var l []string
	add := func(w string) {
		for _, w := range []string{w, literal(w), attached(w)} {
			if w != "" && !slices.Contains(l, w) {
				l = append(l, w)
				l = append(l, manifests[filepath.Base(w)]...)
			}
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

// attached is what stands behind an option's letter in one word, as in -r./x.js and
// -mtools.lint, or behind an at sign; empty when there is neither.
func attached(w string) string {
	switch {
	case len(w) > 2 && w[0] == '-' && w[1] != '-':
		return w[2:]
	case len(w) > 1 && w[0] == '@':
		return w[1:]
	}
	return ""
}

// literal is the path that a word ends in behind what a shell puts in, be it a
// variable, as in "$GEMINI_PROJECT_DIR/x" and "${DIR:-.}/x", or what a command
// prints, of which "$(pwd)/x" has left "/x"; empty when there is none. What is put
// in leads to one of the folders that words are relative to, if it leads to the
// project.
func literal(w string) string {
	put := strings.LastIndexAny(w, "$}") + 1
	slash := strings.IndexFunc(w[put:], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	if slash < 0 || put == 0 && slash > 0 {
		return ""
	}
	return strings.TrimLeft(w[put+slash:], `/\`)
}

// shellWords splits as a shell would, roughly: without quotes and backslashes,
// where these part no folders, at white space and operators.
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
