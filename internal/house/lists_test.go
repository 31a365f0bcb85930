package house

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A fact guards something, and has one list, which others ask.
type fact struct {
	is    string
	owner string         // the folder that has the list
	lists []string       // variables there, whose strings are the members
	form  *regexp.Regexp // of the members among them
	ask   string         // what to do instead
	apart []string       // folders with a list of something else that has the same names
	// quoted: a member counts only as a text of its own, or as the first folder of a path.
	quoted bool
	many   int // members in one file are a second list; 0: three
}

var facts = []fact{
	{is: "names of secrets", owner: "internal/secret", lists: []string{"secretNames", "secretEnds", "secretFolders", "keyKinds"}, form: regexp.MustCompile(`[._]|.{8}`), ask: "ask secret.Named, and let clients ask the server", apart: []string{"internal/protect"}},
	{is: "emendo's own folders", owner: "internal/own", lists: []string{"Emendo", "Gemini"}, form: regexp.MustCompile(``), ask: "ask own.Folders", apart: []string{"internal/secret"}, quoted: true, many: 2},
	{is: "clients that can do other things than they declare", owner: "lsp/client", lists: []string{"known"}, form: regexp.MustCompile(``), ask: "add a field to client.Abilities, which what is known sets", apart: []string{"cmd/emendo/doctor", "internal/protect", "editors/neovim/lua"}, quoted: true, many: 1},
	{is: "variables with keys", owner: "internal/providers", lists: []string{"All"}, form: regexp.MustCompile(`_(KEY|TOKEN)$`), ask: "ask providers.Variables"},
}

// factsHaveOneList finds second lists in any language: they drift.
func factsHaveOneList(t tree) (problems []string) {
	for _, f := range facts {
		members := t.members(f)
		for _, path := range slices.Sorted(maps.Keys(t.files)) {
			if !isSource(path) || isTestSource(path) || strings.HasPrefix(path, f.owner+"/") || slices.ContainsFunc(f.apart, func(folder string) bool { return strings.HasPrefix(path, folder+"/") }) {
				continue
			}
			var found []string
			for name, form := range members {
				if (f.quoted || bytes.Contains(t.files[path], []byte(strings.Split(strings.Trim(name, "."), ".")[0]))) && form.Match(t.files[path]) {
					found = append(found, name)
				}
			}
			if len(found) >= cmp.Or(f.many, 3) {
				slices.Sort(found)
				problems = append(problems, fmt.Sprintf("%s: a second list of %s (%s), which %s has: %s", path, f.is, strings.Join(found, ", "), f.owner, f.ask))
			}
		}
	}
	return problems
}

// members returns the members of a fact's lists, with what finds each of them. Short
// words that are common elsewhere are left out.
func (t tree) members(f fact) map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, s := range t.code {
		if s.folder() != f.owner || s.isTest() {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Names) != 1 || !slices.Contains(f.lists, v.Names[0].Name) {
				return true
			}
			ast.Inspect(v, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					name, _ := strconv.Unquote(lit.Value)
					if !f.form.MatchString(name) {
						return true
					}
					// A name without its dot is found too, since patterns escape dots
					// and lists of ends leave them out, but only in quotes.
					bare := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimPrefix(name, ".")), `\.`, `\\?\.`)
					pattern := `\b` + bare + `\b`
					if strings.HasPrefix(name, ".") {
						pattern = `(^|[^A-Za-z0-9_)])\.` + bare + `\b|["'|(]` + bare + `["'|)]`
					}
					if f.quoted {
						pattern = "(?i)[\"'`]" + regexp.QuoteMeta(name) + "[\"'`/]"
					}
					all[name] = regexp.MustCompile(pattern)
				}
				return true
			})
			return false
		})
	}
	return all
}

// isTestSource reports whether a source in any language is a test, or for tests.
func isTestSource(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".test.ts") || strings.HasSuffix(path, "-tests.el") ||
		slices.ContainsFunc(strings.Split(path, "/"), func(e string) bool { return e == "e2e" || isDouble(e) })
}
