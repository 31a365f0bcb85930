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
// names as `package.Type.Method`, `package.Name` or `Type.method`.
func architectureNamesExist(t tree) (problems []string) {
	there := map[string]bool{} // PACKAGE.NAME and TYPE.METHOD
	for _, s := range t.code {
		pkg := path.Base(s.folder()) + "."
		for _, d := range s.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					there[receiver(d)+"."+d.Name.Name] = true
				} else {
					there[pkg+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						there[pkg+ts.Name.Name] = true
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
		for i := 1; i < len(parts); i++ {
			if name := parts[i-1] + "." + parts[i]; !there[name] && !isSource(name) {
				problems = append(problems, fmt.Sprintf("%s: there is no %s: name what is there now", page, m[1]))
				break
			}
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
