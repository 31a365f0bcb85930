package house

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// words are the files of the clients that draw in which their own sentences stand: names of
// their keys, commands and controls, and what they say while no server runs. All others come
// from the server, in words that are the same in every editor.
var words = map[string]string{
	"editors/vscode/src/":  "editors/vscode/src/shared/words.ts",
	"editors/vscode/view/": "editors/vscode/src/shared/words.ts",
	"editors/neovim/lua/":  "editors/neovim/lua/emendo/words.lua",
}

// prose matches a text that a user reads: two words of which one could begin or go on a
// sentence. Commands, names of classes and events have none.
var prose = regexp.MustCompile(`^[^\w]*[A-Z][a-z']*[ ,:] ?(?:[a-z]|%|\{|[A-Z][a-z])|[a-z]{2,} [a-z']{2,} [a-z']{2,}|^[A-Z][a-z]+(?:…|\.\.\.|[.?!])$`)

const theServerSays = ": let the server say it, or move what names keys, commands and controls to the client's file of words"

// sentencesStandInOneFile finds what a client says of its own outside that file.
func sentencesStandInOneFile(t tree) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		for _, s := range sentencesOf(name, string(t.files[name])) {
			found = append(found, fmt.Sprintf("%s:%d says %q%s", name, s.line, s.text, theServerSays))
		}
	}
	return found
}

// sentencesOf returns the sentences of a source of a client; none of other files.
func sentencesOf(name, text string) (l []quotedText) {
	for root, one := range words {
		if strings.HasPrefix(name, root) && name != one && !strings.Contains(name, ".test.") && slices.Contains([]string{".ts", ".tsx", ".lua"}, path.Ext(name)) {
			for _, s := range quotedTexts(text, path.Ext(name) == ".lua") {
				if prose.MatchString(s.text) {
					l = append(l, s)
				}
			}
		}
	}
	return l
}

// A quotedText is a text that stands in a source.
type quotedText struct {
	line int
	text string
}

// quotedTexts returns the texts of a source in Lua or TypeScript, without comments. What stands
// between the tags of JSX is not among them: texts there are given as expressions.
func quotedTexts(source string, lua bool) (l []quotedText) {
	add := func(i int, text string) { l = append(l, quotedText{1 + strings.Count(source[:i], "\n"), text}) }
	comment, begin, end := "//", "/*", "*/"
	if lua {
		comment, begin, end = "--", "--[[", "]]"
	}
	for i := 0; i < len(source); {
		rest := source[i:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, begin):
			i += length(rest, end, len(begin))
		case strings.HasPrefix(rest, comment):
			i += length(rest, "\n", 0)
		case lua && strings.HasPrefix(rest, "[["):
			n := length(rest, "]]", 2)
			add(i, strings.TrimSuffix(rest[2:n], "]]"))
			i += n
		case c == '\'' || c == '"' || c == '`' && !lua:
			n := quoted(rest)
			add(i, strings.ReplaceAll(rest[1:n-1], `\`, ""))
			i += n
		case !lua && c == '/' && pattern.MatchString(source[max(0, i-12):i]):
			i += slash(rest)
		default:
			i++
		}
	}
	return l
}

// pattern matches what stands before a regular expression, and not before a division.
var pattern = regexp.MustCompile(`(?:[(,=:\[!&|?{};>]|return)\s*$`)

// length returns the length of a text up to and with end, which does not begin before from.
func length(text, end string, from int) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// quoted returns the length of the string that a text begins with.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && text[0] != '`': // an apostrophe
			return 2
		}
	}
	return len(text)
}

// slash returns the length of the regular expression that a text begins with.
func slash(text string) int {
	class := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		case c == '\n':
			return 1
		}
	}
	return 1
}
