// Package authority knows which commands of emendo's change what emendo may do: whom it
// trusts, what it starts, who it is. The model's commands are refused them, by the gate and by
// the program itself. It decides nothing else.
package authority

import (
	"path"
	"slices"
	"strings"
)

// listing maps the commands that change authority to what only lists there.
var listing = map[string][]string{
	"trust":      {"list", "ls"},
	"policy":     {"check", "list", "explain"},
	"mcp":        {"list", "test"},
	"extensions": {"list"},
	"auth":       {"status"},
	"setup":      nil,
	"import":     nil,
}

// flags are those of other commands that change it.
var flags = []string{"trust", "approval-mode", "no-sandbox"}

// Changed returns what of the words after the program's name changes authority, such as
// "trust add" or "--no-sandbox", or "" if nothing does. whole says that there are no further
// words; else what they could add counts.
func Changed(words []string, whole bool) string {
	at := slices.IndexFunc(words, isWord)
	if at < 0 {
		if whole {
			return flagOf(words)
		}
		return "a command that is not known"
	}
	command := words[at]
	lists, known := listing[command]
	switch {
	case !known:
		if f := flagOf(words); f != "" || whole {
			return f
		}
		return "options that are not known"
	case len(lists) == 0:
		if whole && onlyShows(words) {
			return ""
		}
		return command
	}
	rest := words[at+1:]
	sub := slices.IndexFunc(rest, isWord)
	switch {
	case sub < 0 && whole, sub >= 0 && slices.Contains(lists, rest[sub]):
		return ""
	case sub < 0:
		return command
	}
	return command + " " + rest[sub]
}

// onlyShows reports whether words say --dry-run, and do not take it back.
func onlyShows(words []string) bool {
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	shows := false
	for _, w := range words {
		switch name, value, valued := strings.Cut(strings.TrimLeft(w, "-"), "="); {
		case name != "dry-run" || w[0] != '-':
		case valued && value != "true":
			return false
		default:
			shows = true
		}
	}
	return shows
}

func isWord(w string) bool { return w != "" && w[0] != '-' }

func flagOf(words []string) string {
	for _, w := range words {
		name, dash := strings.CutPrefix(w, "-")
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if dash && slices.Contains(flags, name) {
			return "--" + name
		}
	}
	return ""
}

// Program reports whether a word of a command line names emendo, by whatever path.
func Program(word string) bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/")))
	return strings.TrimSuffix(name, ".exe") == "emendo"
}
