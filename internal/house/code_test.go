package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

func packagesAreDocumented(t tree) (problems []string) {
	docs := map[string]string{} // by folder
	for _, s := range t.code {
		if s.isTest() {
			continue
		}
		folder, doc := s.folder(), s.syntax.Doc.Text()
		name := s.syntax.Name.Name
		if doc != "" && name != "main" && !strings.HasPrefix(doc, "Package "+name+" ") {
			problems = append(problems, fmt.Sprintf("%s: the package comment does not begin with %q: write it so, or move it off the package clause", s.path, "Package "+name))
		}
		docs[folder] += doc
	}
	for _, folder := range slices.Sorted(maps.Keys(docs)) {
		if docs[folder] == "" {
			problems = append(problems, fmt.Sprintf("%s: no package comment: say in doc.go what the package owns and what it does not know", folder))
		}
	}
	return problems
}

// process lists the names of package os that belong to the process: other packages
// get them through their options. ownProcess is the file that starts one.
var process = []string{"Exit", "Args", "Stdin", "Stdout", "Getenv", "LookupEnv", "Environ", "Setenv", "Unsetenv", "ExpandEnv"}

const ownProcess = "internal/sandbox/child_unix.go"

func onlyCmdIsTheProcess(t tree) (problems []string) {
	for _, s := range t.code {
		if s.isTest() || isDouble(s.folder()) || areaOf(s.folder()) == "cmd" || s.path == ownProcess {
			continue
		}
		for _, use := range usesOf(s.syntax, "os") {
			if slices.Contains(process, use.Sel.Name) {
				problems = append(problems, fmt.Sprintf("%s: os.%s outside cmd: take it through the area's options", t.at(use), use.Sel.Name))
			}
		}
	}
	return problems
}

// modelName matches the name of a model, which a provider may withdraw.
var modelName = regexp.MustCompile(`\b(gemini-[0-9][0-9.]*-(pro|flash)|gpt-[0-9]|o[1-9]-mini|claude-([a-z]+-)?[0-9])`)

func modelsAreInTheCatalogue(t tree) (problems []string) {
	for _, s := range t.code {
		if s.isTest() || isDouble(s.folder()) {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && modelName.MatchString(lit.Value) {
				problems = append(problems, fmt.Sprintf("%s: the name of a model: put it into agent/model/catalogue/catalogue.json and ask for its role", t.at(lit)))
			}
			return true
		})
	}
	return problems
}

// largestPattern is the size of a pattern that every start may compile, which takes about
// 5 µs. All patterns of the program together would take 5 ms.
const largestPattern = 60

func patternsAreCheap(t tree) (problems []string) {
	for _, s := range t.code {
		if s.isTest() || isDouble(s.folder()) {
			continue
		}
		for _, d := range s.syntax.Decls {
			if variables, ok := d.(*ast.GenDecl); !ok || variables.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isCall(call, "regexp", "MustCompile", 1) {
					if lit, ok := call.Args[0].(*ast.BasicLit); ok && patternSize(lit) > largestPattern {
						problems = append(problems, fmt.Sprintf("%s: every start of the program compiles this pattern: make it a sync.OnceValue", t.at(n)))
					}
				}
				_, function := n.(*ast.FuncLit)
				return !function
			})
		}
	}
	return problems
}

// patternSize returns the number of instructions and ranges of characters of a pattern; of one
// that is not valid, 0.
func patternSize(lit *ast.BasicLit) int {
	pattern, _ := strconv.Unquote(lit.Value)
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	compiled, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	size := len(compiled.Inst)
	for _, i := range compiled.Inst {
		size += len(i.Rune) / 2
	}
	return size
}

func testsWaitForEvents(t tree) (problems []string) {
	for _, s := range t.code {
		if !s.isTest() {
			continue
		}
		bubbles := bubblesOf(s.syntax)
		for _, use := range usesOf(s.syntax, "time") {
			inBubble := slices.ContainsFunc(bubbles, func(b ast.Node) bool { return b.Pos() <= use.Pos() && use.Pos() < b.End() })
			if use.Sel.Name == "Sleep" && !inBubble {
				problems = append(problems, fmt.Sprintf("%s: time.Sleep in a test: wait for the event itself, or let the clock of a synctest.Test do the waiting", t.at(use)))
			}
		}
	}
	return problems
}

// testsAreNotSkipped allows one form of skipping, for tests that take long:
//
//	if testing.Short() {
//		t.Skip("why it takes long")
//	}
func testsAreNotSkipped(t tree) (problems []string) {
	for _, s := range t.code {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if inShortMode(n) {
				return false
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			skip, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, skip.Sel.Name) {
				return true
			}
			if on, ok := skip.X.(*ast.Ident); ok && slices.Contains([]string{"t", "tb", "b", "f"}, on.Name) && s.isTest() {
				problems = append(problems, fmt.Sprintf("%s: nobody runs a skipped test: put it behind a build tag, make it work everywhere, or if it takes long skip it under testing.Short alone", t.at(call)))
			}
			return true
		})
	}
	return problems
}

// inShortMode reports whether n skips a test because of testing.Short alone.
func inShortMode(n ast.Node) bool {
	s, ok := n.(*ast.IfStmt)
	if !ok || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 || !isCall(s.Cond, "testing", "Short", 0) {
		return false
	}
	do, ok := s.Body.List[0].(*ast.ExprStmt)
	return ok && isCall(do.X, "t", "Skip", 1)
}

// isCall reports whether e calls on.name with n arguments.
func isCall(e ast.Expr, on, name string, n int) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != n {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != name {
		return false
	}
	x, ok := f.X.(*ast.Ident)
	return ok && x.Name == on
}

// usesOf returns the selections from the package that is imported as name.
func usesOf(file *ast.File, name string) (uses []*ast.SelectorExpr) {
	imported := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+name+`"` && i.Name == nil })
	if !imported {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if use, ok := n.(*ast.SelectorExpr); ok {
			if on, ok := use.X.(*ast.Ident); ok && on.Name == name {
				uses = append(uses, use)
			}
		}
		return true
	})
	return uses
}

// bubblesOf returns the calls of synctest.Test, inside which time is not real.
func bubblesOf(file *ast.File) (bubbles []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Test" {
				if on, ok := f.X.(*ast.Ident); ok && on.Name == "synctest" {
					bubbles = append(bubbles, call)
				}
			}
		}
		return true
	})
	return bubbles
}

// literals returns the string literals of file.
func literals(file *ast.File) (found []*ast.BasicLit) {
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			found = append(found, l)
		}
		return true
	})
	return found
}
