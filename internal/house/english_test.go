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

// strange matches phrases that CONTRIBUTING.md replaces with plainer ones.
var strange = regexp.MustCompile(`says whether|gives (the|a)|is what (is|a)|\b(heed|anew)\b`)

// meant lists the phrases that are used literally, by file.
var meant = map[string][]string{
	"CONTRIBUTING.md":                       {"says whether", "anew"},
	"internal/house/english_test.go":        {"says whether", "gives a", "gives the", "is what is", "heed", "anew"},
	"internal/house/house_test.go":          {"says whether", "is what is"},
	"internal/shellcmd/program/builtins.go": {"gives a"},
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
					problems = append(problems, fmt.Sprintf("%s:%d: %q is not plain English: rephrase it, or list it in internal/house/english_test.go if it is literal", name, n, phrase))
				}
			}
		}
	}
	return problems
}

// maxColumns is the maximum width of prose in Markdown.
const maxColumns = 100

var (
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
)

// proseIsWrapped checks pages for people. It skips tables, code, the targets of
// links, words and code spans that are wider than a line, and texts for the model.
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
			if code || strings.HasPrefix(text, "|") || strings.HasPrefix(text, "<") || utf8.RuneCountInString(visible) <= maxColumns || !strings.Contains(codeSpan.ReplaceAllString(text, "x"), " ") {
				continue
			}
			problems = append(problems, fmt.Sprintf("%s:%d: %d columns, more than %d: wrap it", name, n, utf8.RuneCountInString(visible), maxColumns))
		}
	}
	return problems
}
