package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/emendo-dev/emendo"

// A tree is the repository, read once.
type tree struct {
	files     map[string][]byte // sources and pages by path, without those in hidden folders and testdata
	generated map[string]bool   // generated files
	unread    map[string]bool   // other files by path, pictures among them
	top       []string          // names at the top level that git does not ignore
	code      []source          // the Go files, in order of their paths
	lines     *token.FileSet
}

// A source is one Go file.
type source struct {
	path   string
	syntax *ast.File
}

func (s source) folder() string { return path.Dir(s.path) }
func (s source) isTest() bool   { return strings.HasSuffix(s.path, "_test.go") }

// at returns the position of n.
func (t tree) at(n ast.Node) string { return t.lines.Position(n.Pos()).String() }

// sourceNames are the ends of names of files that people write by hand.
var sourceNames = []string{".go", ".lua", ".ts", ".tsx", ".mjs", ".js", ".el"}

func isSource(name string) bool {
	for _, end := range sourceNames {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// unreadFolders hold what is installed, built or made up.
var unreadFolders = []string{"node_modules", "dist", "testdata"}

// plant reads the tree in fsys.
func plant(t *testing.T, fsys fs.FS) tree {
	t.Helper()
	grown := tree{files: map[string][]byte{}, generated: map[string]bool{}, unread: map[string]bool{}, lines: token.NewFileSet()}
	ignored := ignoredNames(fsys)
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case p == ".":
			return nil
		case !strings.Contains(p, "/") && !ignored(name):
			grown.top = append(grown.top, name)
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || slices.Contains(unreadFolders, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !isSource(p) && path.Ext(p) != ".md" && p != "go.mod" {
			grown.unread[p] = true
			return nil
		}
		text, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		grown.files[p] = text
		if path.Ext(p) != ".go" {
			grown.generated[p] = generatedMark.Match(text)
			return nil
		}
		syntax, err := parser.ParseFile(grown.lines, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		grown.code = append(grown.code, source{p, syntax})
		grown.generated[p] = ast.IsGenerated(syntax)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return grown
}

// generatedMark is what Go's tools agree on, in the comments of any language.
var generatedMark = regexp.MustCompile(`(?m)^\W*Code generated .* DO NOT EDIT\.`)

// ignoredNames knows the plain names at the top level that .gitignore lists.
func ignoredNames(fsys fs.FS) func(name string) bool {
	text, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil {
		return func(string) bool { return false }
	}
	return func(name string) bool {
		for line := range strings.Lines(string(text)) {
			if ok, _ := path.Match(strings.Trim(strings.TrimSpace(line), "/"), name); ok {
				return true
			}
		}
		return false
	}
}
