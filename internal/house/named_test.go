package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var namedTest = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z][A-Za-z0-9]*)`")

// namedTestsExist holds pages to the tests and benchmarks that they name for
// what they claim.
func namedTestsExist(t tree) (problems []string) {
	there := map[string]bool{}
	for _, s := range t.code {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() {
				there[f.Name.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if path.Ext(name) != ".md" || !strings.HasPrefix(name, "docs/") {
			continue
		}
		for _, m := range namedTest.FindAllSubmatch(t.files[name], -1) {
			if test := string(m[1]); !there[test] {
				problems = append(problems, fmt.Sprintf("%s: there is no %s: name the test that holds this, or take the claim back", name, test))
			}
		}
	}
	return problems
}
