package gitdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Instruction is something that git runs when an operation under way resumes.
type Instruction struct {
	Path string // the file that holds it
	Text string
}

// strategies are those of merging that git brings along. It takes any other for
// the name of a program.
var strategies = []string{"", "ort", "recursive", "resolve", "octopus", "ours", "subtree"}

// Instructions are those in a repository's folder: the lines of a rebase's todo
// list that run a command, and strategies that are programs.
func Instructions(dir string) []Instruction {
	var l []Instruction
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		todo := filepath.Join(dir, name, "git-rebase-todo")
		for text := range strings.Lines(head(todo, 4<<20)) {
			if word := strings.Fields(text); len(word) > 0 && (word[0] == "exec" || word[0] == "x") {
				l = append(l, Instruction{todo, strings.TrimSpace(text)})
			}
		}
		if at := filepath.Join(dir, name, "strategy"); !slices.Contains(strategies, line(at)) {
			l = append(l, Instruction{at, line(at)})
		}
	}
	opts := filepath.Join(dir, "sequencer", "opts")
	for _, s := range Settings(opts) {
		if s.Name() == "options.strategy" && !slices.Contains(strategies, s.Value) {
			l = append(l, Instruction{opts, s.Value})
		}
	}
	return l
}

// mostWalked bounds the entries of a repository's folder that are looked at.
const mostWalked = 100_000

// Strays are the links, pipes and devices in a repository's folder where git keeps
// files and folders alone: it follows a link as it writes its logs and messages,
// to wherever that leads.
func Strays(dir string) []string {
	var l []string
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error { // what can be read counts
		if err != nil || path == dir {
			return nil //nolint:nilerr // as said
		}
		if seen++; seen > mostWalked {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return nil //nolint:nilerr // it is below
		}
		rel = filepath.ToSlash(rel)
		switch {
		case !entry.IsDir() && !entry.Type().IsRegular():
			l = append(l, path)
		case entry.IsDir() && (IsSealed(rel) || filepath.Dir(rel) == "objects"):
			return filepath.SkipDir
		}
		return nil
	})
	return l
}
