package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"slices"
)

// Limits for what a reader can keep in mind. Tests, test doubles and generated
// files do not count.
const (
	maxLines        = 500  // of a file
	maxPackageLines = 4000 // of a package
	maxFiles        = 30   // of a package
	maxMethods      = 30   // of a type
)

func filesAreShort(t tree) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		text := t.files[name]
		if lines := bytes.Count(text, []byte("\n")); isSource(name) && lines > maxLines && !t.generated[name] {
			problems = append(problems, fmt.Sprintf("%s: %d lines, more than %d: split it where its second idea begins", name, lines, maxLines))
		}
	}
	return problems
}

// tooLarge lists the packages, by folder, and the types, as FOLDER.TYPE, that
// still exceed a limit. An entry that is no longer needed is a problem too.
var tooLarge = []string{}

// packagesAreSmall returns the rule that limits packages and types, except those in
// the list.
func packagesAreSmall(except []string) func(tree) []string {
	return func(t tree) (problems []string) {
		lines, files, methods := map[string]int{}, map[string]int{}, map[string]int{}
		for _, s := range t.code {
			folder := s.folder()
			if s.isTest() || isDouble(folder) || t.generated[s.path] {
				continue
			}
			files[folder]++
			lines[folder] += bytes.Count(t.files[s.path], []byte("\n"))
			for _, d := range s.syntax.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
					methods[folder+"."+receiver(f)]++
				}
			}
		}
		over := map[string]string{}
		for folder := range files {
			if files[folder] > maxFiles || lines[folder] > maxPackageLines {
				over[folder] = fmt.Sprintf("%d lines in %d files, and the limits are %d and %d: split the package by owner of its state", lines[folder], files[folder], maxPackageLines, maxFiles)
			}
		}
		for name, n := range methods {
			if n > maxMethods {
				over[name] = fmt.Sprintf("%d methods, more than %d: give its concerns types of their own", n, maxMethods)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(over)) {
			if !slices.Contains(except, name) {
				problems = append(problems, name+": "+over[name])
			}
		}
		for _, name := range except {
			if over[name] == "" {
				problems = append(problems, name+": within the limits: remove it from the list in internal/house/limits_test.go")
			}
		}
		return problems
	}
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
