package house

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxMethods limits the methods of a type together with those of the types that it is one
// with: moving methods to a helper that holds the type changes nothing.
const maxMethods = 60

// A structure is one struct type or named type of the product.
type structure struct {
	folder, name string
	embeds       []string // FOLDER.NAME of the types that it embeds
	holds        []string // FOLDER.NAME of the types of its other fields
	methods      int
}

func (s structure) id() string { return s.folder + "." + s.name }

// product returns the Go files that are neither tests nor test doubles nor generated.
func (t tree) product() []source {
	return slices.DeleteFunc(slices.Clone(t.code), func(s source) bool {
		return s.isTest() || t.generated[s.path] || strings.HasPrefix(s.path, "editors/") || slices.ContainsFunc(strings.Split(s.folder(), "/"), isDouble)
	})
}

// structures returns the named types of the product by FOLDER.NAME.
func (t tree) structures() map[string]*structure {
	all := map[string]*structure{}
	for _, s := range t.product() {
		imports := importsOf(s.syntax)
		for _, d := range s.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				ts, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if _, isInterface := ts.Type.(*ast.InterfaceType); isInterface {
					continue
				}
				one := &structure{folder: s.folder(), name: ts.Name.Name}
				all[one.id()] = one
				fields, ok := ts.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					id := typeID(f.Type, s.folder(), imports)
					switch {
					case id == "":
					case f.Names == nil:
						one.embeds = append(one.embeds, id)
					default:
						one.holds = append(one.holds, id)
					}
				}
			}
		}
	}
	for _, s := range t.product() {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				if one := all[s.folder()+"."+receiver(f)]; one != nil {
					one.methods++
				}
			}
		}
	}
	return all
}

// importsOf returns the folders of the packages of the module that a file imports, by the
// names that it uses for them.
func importsOf(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, i := range f.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		folder, ours := strings.CutPrefix(full, module+"/")
		if !ours {
			continue
		}
		name := path.Base(folder)
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = folder
	}
	return names
}

// typeID returns the FOLDER.NAME of a type or of what it points to; "" for all else.
func typeID(e ast.Expr, folder string, imports map[string]string) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return typeID(x.X, folder, imports)
	case *ast.IndexExpr:
		return typeID(x.X, folder, imports)
	case *ast.Ident:
		return folder + "." + x.Name
	case *ast.SelectorExpr:
		if p, ok := x.X.(*ast.Ident); ok && imports[p.Name] != "" {
			return imports[p.Name] + "." + x.Sel.Name
		}
	}
	return ""
}

// tooManyMethods lists the types that still exceed the limit. An entry that is no longer
// needed is a problem too.
var tooManyMethods = []string{}

// typesAreSmall returns the rule that limits the methods of a type together with those of
// the types that embed it, and of those in its package that hold it and that it holds. Types
// in the list are excepted.
func typesAreSmall(except []string) func(tree) []string {
	return func(t tree) []string {
		return without(except, t.largeTypes(), "tooManyMethods")
	}
}

// A finding is a fault of a type or of a folder.
type finding struct{ about, text string }

// without returns the findings that the list named list does not except, and the entries of
// that list that no finding needs.
func without(except []string, all []finding, list string) (problems []string) {
	found := map[string]bool{}
	for _, f := range all {
		found[f.about] = true
		if !slices.Contains(except, f.about) {
			problems = append(problems, f.about+": "+f.text)
		}
	}
	for _, name := range except {
		if !found[name] {
			problems = append(problems, fmt.Sprintf("%s: within the limit: remove it from %s in internal/house/shape_test.go", name, list))
		}
	}
	return problems
}

// largeTypes returns the types over the limit.
func (t tree) largeTypes() (over []finding) {
	all := t.structures()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		one := all[id]
		sum, with := one.methods, []string{}
		for _, other := range slices.Sorted(maps.Keys(all)) {
			o := all[other]
			circle := o.folder == one.folder && slices.Contains(o.holds, id) && (slices.Contains(one.holds, other) || slices.Contains(one.embeds, other))
			if other != id && o.methods > 0 && (slices.Contains(o.embeds, id) || circle) {
				sum += o.methods
				with = append(with, other)
			}
		}
		if sum <= maxMethods {
			continue
		}
		text := fmt.Sprintf("%d methods", sum)
		if len(with) > 0 {
			text += " with those of " + strings.Join(with, ", ")
		}
		over = append(over, finding{id, fmt.Sprintf("%s, more than %d: give a part of its state an owner that does not know it", text, maxMethods)})
	}
	return over
}

// indirectCalls is how many struct fields may be functions, together with the interfaces of
// one method that at most one type implements, outside cmd. It only becomes smaller.
const indirectCalls = 160

// callsAreDirect returns the rule that counts calls that a reader cannot follow from their
// text.
func callsAreDirect(most int) func(tree) []string {
	return func(t tree) []string {
		at := append(t.functionFields(), t.lonelyInterfaces()...)
		if len(at) <= most {
			return nil
		}
		folders := map[string]int{}
		for _, a := range at {
			folders[path.Dir(strings.SplitN(a, ":", 2)[0])]++
		}
		var where []string
		for _, f := range slices.SortedFunc(maps.Keys(folders), func(a, b string) int { return cmp.Or(folders[b]-folders[a], strings.Compare(a, b)) }) {
			where = append(where, fmt.Sprintf("%s %d", f, folders[f]))
		}
		return []string{fmt.Sprintf("%d struct fields are functions, or interfaces of one method that at most one type implements, more than %d: pass the value whose method is called (%s)", len(at), most, strings.Join(where, ", "))}
	}
}

// functionFields returns where struct fields of the product are functions, or of a named
// type of functions.
func (t tree) functionFields() (at []string) {
	functions := map[string]bool{} // by FOLDER.NAME
	for _, s := range t.product() {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if ts, ok := n.(*ast.TypeSpec); ok {
				_, functions[s.folder()+"."+ts.Name.Name] = ts.Type.(*ast.FuncType)
			}
			return true
		})
	}
	for _, s := range t.product() {
		if areaOf(s.folder()) == "cmd" {
			continue
		}
		imports := importsOf(s.syntax)
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			fields, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range fields.Fields.List {
				if _, ok := f.Type.(*ast.FuncType); ok || functions[typeID(f.Type, s.folder(), imports)] {
					for range max(1, len(f.Names)) {
						at = append(at, t.at(f))
					}
				}
			}
			return true
		})
	}
	return at
}

// lonelyInterfaces returns where interfaces of one method are declared that at most one type
// implements. Test doubles count as implementations.
func (t tree) lonelyInterfaces() (at []string) {
	methods := map[string]int{} // by name and number of parameters and results
	form := func(name string, f *ast.FuncType) string {
		return fmt.Sprintf("%s %d %d", name, f.Params.NumFields(), f.Results.NumFields())
	}
	for _, s := range t.code {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[form(f.Name.Name, f.Type)]++
			}
		}
	}
	for _, s := range t.product() {
		if areaOf(s.folder()) == "cmd" {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			i, ok := ts.Type.(*ast.InterfaceType)
			if !ok || len(i.Methods.List) != 1 || len(i.Methods.List[0].Names) != 1 {
				return true
			}
			m := i.Methods.List[0]
			if f, ok := m.Type.(*ast.FuncType); ok && ast.IsExported(m.Names[0].Name) && methods[form(m.Names[0].Name, f)] <= 1 {
				at = append(at, t.at(ts))
			}
			return true
		})
	}
	return at
}

// maxUntested is how many lines a package may have whose tests are elsewhere.
const maxUntested = 300

// untested lists the packages whose tests are still elsewhere. An entry that is no longer
// needed is a problem too.
var untested = []string{}

// packagesAreTested returns the rule that the tests of a package are beside it. Packages in
// the list are excepted.
func packagesAreTested(except []string) func(tree) []string {
	return func(t tree) []string {
		return without(except, t.packagesWithoutTests(), "untested")
	}
}

// packagesWithoutTests returns the product's packages over the limit that have no test.
func (t tree) packagesWithoutTests() (all []finding) {
	lines, tested := map[string]int{}, map[string]bool{}
	for _, s := range t.code {
		if s.isTest() {
			tested[s.folder()] = true
		}
	}
	for _, s := range t.product() {
		lines[s.folder()] += bytes.Count(t.files[s.path], []byte("\n"))
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		if n := lines[folder]; n > maxUntested && !tested[folder] {
			all = append(all, finding{folder, fmt.Sprintf("%d lines without a test beside them, more than %d: move the tests that are about it here", n, maxUntested)})
		}
	}
	return all
}
