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

// namedTestsExist checks that the tests and benchmarks that pages name exist.
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
				problems = append(problems, fmt.Sprintf("%s: there is no %s: name the test that verifies this, or remove the claim", name, test))
			}
		}
	}
	return problems
}

var namedCode = regexp.MustCompile("`((?:[A-Za-z]+\\.)+[A-Za-z]+)`")

// architectureNamesExist holds ARCHITECTURE.md to the functions and types that it
// names as `package.Type.Method` or `Type.method`.
func architectureNamesExist(t tree) (problems []string) {
	there := map[string]bool{}
	for _, s := range t.code {
		for _, d := range s.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				there[d.Name.Name] = true
				if d.Recv != nil {
					there[path.Base(receiver(d))+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						there[ts.Name.Name] = true
						if i, ok := ts.Type.(*ast.InterfaceType); ok {
							for _, m := range i.Methods.List {
								for _, name := range m.Names {
									there[ts.Name.Name+"."+name.Name] = true
								}
							}
						}
					}
				}
			}
		}
	}
	const page = "ARCHITECTURE.md"
	for _, m := range namedCode.FindAllSubmatch(t.files[page], -1) {
		parts := strings.Split(string(m[1]), ".")
		last := parts[len(parts)-1]
		if n := len(parts); n > 2 || n == 2 && strings.ToLower(parts[0]) != parts[0] {
			last = parts[n-2] + "." + last
		}
		if !there[last] && !there[parts[len(parts)-1]] || strings.Contains(last, ".") && !there[last] {
			problems = append(problems, fmt.Sprintf("%s: there is no %s: name what is there now", page, m[1]))
		}
	}
	return problems
}

// receiver returns the name of the type that a method is of.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
