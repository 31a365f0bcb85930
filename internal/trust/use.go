package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// use is how the program of an entry uses a file that a text names.
type use int

const (
	runs    use = iota // it may run it, so it counts
	takes              // an argument of a program, which may run it; a database does not count
	worksOn            // an argument of a script that counts; a file of data does not count
)

// texts returns the texts of an entry in which files are looked for.
func (e Entry) texts() (l []word) {
	l = append(l, word{e.Command, runs})
	for _, m := range e.Means {
		l = append(l, word{m, runs})
	}
	uses := make([]use, len(e.Args))
	inEnv := runs
	if e.Kind == Server {
		args := e.Args
		if len(e.ArgMeans) == len(args) {
			args = e.ArgMeans
		}
		from, script := scriptEnds(e.Command, args)
		if script {
			inEnv = worksOn
		}
		for i := range uses {
			switch {
			case script && i >= from:
				uses[i] = worksOn
			case !isInterpreter(e.Command):
				uses[i] = takes
			}
		}
	}
	for i, a := range e.Args {
		l = append(l, word{a, uses[i]})
		if i < len(e.ArgMeans) && e.ArgMeans[i] != a {
			l = append(l, word{e.ArgMeans[i], uses[i]})
		}
	}
	for name, v := range e.Env { // NODE_OPTIONS=--require=./x.js
		u := inEnv
		if strings.ContainsAny(v, " =,") || strings.HasSuffix(name, "PATH") && strings.Contains(v, string(os.PathListSeparator)) {
			u = runs
		}
		l = append(l, word{v, u})
	}
	return l
}

// dataEndings are those of files that a script keeps its data in, and databases those of
// files with databases.
var (
	dataEndings = []string{".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".log", ".md"}
	databases   = []string{".db", ".db3", ".sqlite", ".sqlite3", ".duckdb"}
)

// spares reports whether a file that is used so does not count.
func (u use) spares(path string) bool {
	ending := strings.ToLower(filepath.Ext(path))
	switch u {
	case worksOn:
		return slices.Contains(dataEndings, ending) && filepath.Base(path) != "package.json" || slices.Contains(databases, ending)
	case takes:
		return slices.Contains(databases, ending) && isDatabase(path)
	case runs:
	}
	return false
}

// isDatabase reports whether a file holds a database, or nothing yet. No program takes
// one for a script.
func isDatabase(path string) bool {
	head, err := paths.ReadRegular(path, 16)
	return err == nil && len(head) == 0 || bytes.Equal(head, []byte("SQLite format 3\x00")) || len(head) > 12 && string(head[8:12]) == "DUCK"
}

// A language is how programs of one kind are given what they run.
type language struct {
	// values are options with a separate value, which does not end the options.
	values []string
	// code are options whose value is what runs, as text or as the name of a module.
	code []string
}

var languages = map[string]language{
	"python": {[]string{"-W", "-X"}, []string{"-m", "-c"}},
	"node":   {[]string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"}, []string{"-e", "--eval", "-p", "--print"}},
	"ruby":   {[]string{"-I", "-r", "-C"}, []string{"-e"}},
	"perl":   {[]string{"-I"}, []string{"-e", "-E"}},
	"php":    {[]string{"-d", "-c"}, []string{"-r"}},
	"npx":    {[]string{"-p", "--package", "--prefix"}, nil},
	"bunx":   {nil, nil},
	"uvx":    {[]string{"--from", "--with", "--python", "-p", "--index-url", "--directory"}, nil},
}

// languageOf returns how a program is given what it runs; false if that is not known.
func languageOf(command string) (language, bool) {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".exe")
	switch {
	case strings.HasPrefix(name, "python"):
		name = "python"
	case name == "nodejs", name == "tsx", name == "ts-node":
		name = "node"
	}
	l, ok := languages[name]
	return l, ok
}

// isInterpreter reports whether a program runs what its arguments name: such an argument
// always counts.
func isInterpreter(command string) bool {
	name := filepath.Base(command)
	_, known := languageOf(command)
	return known || slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish", "env", "nice", "timeout", "sudo", "xargs", "find", "deno", "bun", "java", "lua", "Rscript", "make"}, name)
}

// scriptEnds returns the index of the first argument after the script that a program is
// given; false if it is given none, or if that is not known.
func scriptEnds(command string, args []string) (first int, ok bool) {
	l, ok := languageOf(command)
	if !ok {
		return 0, false
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--", slices.Contains(l.code, a):
			return i + 2, i+1 < len(args)
		case slices.Contains(l.values, a):
			i++
		case !strings.HasPrefix(a, "-"):
			return i + 1, true
		}
	}
	return 0, false
}
