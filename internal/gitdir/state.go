package gitdir

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An Instruction is something that git runs when it resumes an operation.
type Instruction struct {
	Path string // the file that contains it
	Text string
}

// strategies lists git's own merge strategies. Git takes any other for the name
// of a program.
var strategies = []string{"", "ort", "recursive", "resolve", "octopus", "ours", "subtree"}

// mostInstructions limits how much of a file is read, in bytes. A longer one
// may contain anything.
const mostInstructions = 4 << 20

// Instructions returns the instructions in a repository's directory: lines of a
// rebase todo list that run a command, strategies that are programs, and
// options with which patches reach outside of the work tree.
func Instructions(dir string) []Instruction {
	var l []Instruction
	read := func(path string) string {
		if info, err := os.Lstat(path); err == nil && info.Size() > mostInstructions {
			l = append(l, Instruction{path, "it is too long to check"})
			return ""
		}
		return readStart(path, mostInstructions)
	}
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		todo := filepath.Join(dir, name, "git-rebase-todo")
		for text := range strings.Lines(read(todo)) {
			if word := strings.Fields(text); len(word) > 0 && (word[0] == "exec" || word[0] == "x") {
				l = append(l, Instruction{todo, strings.TrimSpace(text)})
			}
		}
		if at := filepath.Join(dir, name, "strategy"); !slices.Contains(strategies, strings.TrimSpace(read(at))) {
			l = append(l, Instruction{at, strings.TrimSpace(read(at))})
		}
	}
	patches := filepath.Join(dir, "rebase-apply", "apply-opt")
	if text := read(patches); slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"\\", r) }), reachesOut) {
		l = append(l, Instruction{patches, strings.TrimSpace(text)})
	}
	opts := filepath.Join(dir, "sequencer", "opts")
	for _, s := range ParseConfig(read(opts)) {
		if s.Name() == "options.strategy" && !slices.Contains(strategies, s.Value) {
			l = append(l, Instruction{opts, s.Value})
		}
	}
	return l
}

// harmlessPatches lists beginnings of options of git apply that git am passes
// on.
var harmlessPatches = []string{"--whitespace", "--ignore-", "--directory", "--exclude", "--include", "--reject", "-C", "-p"}

// reachesOut reports whether an option of git apply may write outside of the
// work tree.
func reachesOut(option string) bool {
	return strings.HasPrefix(option, "-") && !slices.ContainsFunc(harmlessPatches, func(p string) bool { return strings.HasPrefix(option, p) })
}

// A Stray is a link, a pipe or a device in a repository's directory.
type Stray struct {
	Path string
	To   string // target of a link
}

// mostWalked limits how many entries of a repository's directory are visited.
var mostWalked = 1_000_000

// ErrTooMany reports that a repository's directory contains too many files to
// check.
var ErrTooMany = errors.New("git's directory contains too many files to check")

// Strays returns the links, pipes and devices in a repository's directory where
// git keeps only files and directories: git follows links when it writes logs
// and messages, and blocks on pipes. Entries close to the top come first.
func Strays(dir string) ([]Stray, error) {
	var l []Stray
	seen := 0
	for next := []string{""}; len(next) > 0; next = next[1:] {
		entries, _ := os.ReadDir(filepath.Join(dir, filepath.FromSlash(next[0]))) // whatever can be read counts
		for _, e := range entries {
			if seen++; seen > mostWalked {
				return l, fmt.Errorf("%s: %w", dir, ErrTooMany)
			}
			rel := path.Join(next[0], e.Name())
			switch full := filepath.Join(dir, filepath.FromSlash(rel)); {
			case e.IsDir() && !IsSealed(rel):
				next = append(next, rel)
			case !e.IsDir() && !e.Type().IsRegular():
				to, _ := os.Readlink(full) // empty if it is not a link
				l = append(l, Stray{full, to})
			}
		}
	}
	return l, nil
}
