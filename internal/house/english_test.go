package house

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// strange matches phrases that read as if translated. CONTRIBUTING.md has better
// ones.
var strange = regexp.MustCompile(`says whether|gives (the|a)|is what (is|a)|\b(heed|anew)\b`)

// meant lists the phrases that are meant literally, by file.
var meant = map[string][]string{
	"internal/house/english_test.go": {"says whether", "is what is", "heed", "anew"},
	"internal/house/house_test.go":   {"says whether"},
}

func englishIsPlain(t tree) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if path.Ext(name) != ".go" && path.Ext(name) != ".md" {
			continue
		}
		n := 0
		for line := range strings.Lines(string(t.files[name])) {
			n++
			for _, phrase := range strange.FindAllString(line, -1) {
				if !slices.Contains(meant[name], phrase) {
					problems = append(problems, fmt.Sprintf("%s:%d: %q: say it in plain English, or list it in internal/house/english_test.go if it is meant literally", name, n, phrase))
				}
			}
		}
	}
	return problems
}

// maxColumns is how wide prose in Markdown may be.
const maxColumns = 100

var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

// proseIsWrapped checks pages for people. Tables, code, the targets of links and
// words that are wider than a line do not count, and what the model reads does not
// either.
func proseIsWrapped(t tree) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if path.Ext(name) != ".md" || t.generated[name] || strings.Contains(name, "/") && !strings.HasPrefix(name, "docs/") && path.Base(name) != "README.md" {
			continue
		}
		n, code := 0, false
		for line := range strings.Lines(string(t.files[name])) {
			n++
			line = strings.TrimRight(line, "\r\n")
			text := strings.TrimSpace(line)
			if strings.HasPrefix(text, "```") {
				code = !code
				continue
			}
			visible := linkTarget.ReplaceAllString(line, "]")
			if code || strings.HasPrefix(text, "|") || strings.HasPrefix(text, "<") || utf8.RuneCountInString(visible) <= maxColumns || !strings.Contains(text, " ") {
				continue
			}
			problems = append(problems, fmt.Sprintf("%s:%d: %d columns, more than %d: wrap it", name, n, utf8.RuneCountInString(visible), maxColumns))
		}
	}
	return problems
}
