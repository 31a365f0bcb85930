package settings

import (
	_ "embed"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/settings.md from the declarations")

const docsFile = "../../docs/settings.md"

// docsHead describes what applies to all settings. The declarations have the rest.
//
//go:embed testdata/docs_head.md
var docsHead string

// page returns docs/settings.md by the declarations.
func page() string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString("| setting | description | value | default | scope |\n| --- | --- | --- | --- | --- |\n")
	for _, d := range declared() {
		initial := fmt.Sprintf("`%v`", d.standard())
		if v, ok := d.standard().(string); ok {
			initial = fmt.Sprintf("`%q`", v)
		}
		if d.object != "" {
			initial = "`{}`"
		}
		kind := d.kind()
		if _, ok := d.field(new(Settings)).(*time.Duration); ok {
			kind += ", seconds"
		}
		scope := map[bool]string{true: "any", false: "user"}[d.anyone]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.key, d.doc(), kind, initial, scope)
	}
	return b.String()
}

// place returns the field of a setting as TYPE.FIELD, and its tags.
func (d setting) place() (string, reflect.StructTag) {
	group := reflect.TypeFor[Settings]()
	for _, i := range d.index[:len(d.index)-1] {
		group = group.Field(i).Type
	}
	f := group.Field(d.index[len(d.index)-1])
	return group.Name() + "." + f.Name, f.Tag
}

// doc returns the description of a setting: the comment of its field.
func (d setting) doc() string {
	place, _ := d.place()
	text := comments()[place]
	if d.fieldType() == reflect.TypeFor[HookList]() {
		text += " Layers add to the list; each command of a project needs your approval first. See [hooks.md](hooks.md)."
	}
	return text
}

// comments returns the comments of the fields of this package, on one line each, by
// TYPE.FIELD.
var comments = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok {
				if fields, ok := t.Type.(*ast.StructType); ok {
					for _, f := range fields.Fields.List {
						for _, field := range f.Names {
							all[t.Name.Name+"."+field.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
						}
					}
				}
			}
			return true
		})
	}
	return all
})

// standard returns the default as a file would have it.
func (d setting) standard() any {
	switch {
	case d.initial != nil:
		return d.initial
	case d.fieldType().Kind() == reflect.Slice:
		return []string{}
	case d.fieldType() == period:
		return ""
	}
	return reflect.Zero(d.fieldType()).Interface()
}

func TestDocsAreInStep(t *testing.T) {
	want := page()
	if *update {
		if err := os.MkdirAll(filepath.Dir(docsFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/settings.md is out of date: run go test ./internal/settings -update")
	}
}

// Every setting is declared once, and every declaration is sound.
func TestDeclarations(t *testing.T) {
	keys := map[string]bool{}
	for _, d := range declared() {
		if keys[d.key] || isGroup(d.key) {
			t.Errorf("%s is declared twice, or is a group as well", d.key)
		}
		keys[d.key] = true
		if d.doc() == "" || !strings.HasSuffix(d.doc(), ".") {
			t.Errorf("%s has no comment of whole sentences", d.key)
		}
		if d.initial != nil && d.object != "" {
			t.Errorf("%s is an object, and has no other default", d.key)
		}
		if kind := d.fieldType().Kind(); d.object == "" && kind == reflect.Map || kind == reflect.Slice && d.object == "" && d.fieldType().Elem().Kind() != reflect.String {
			t.Errorf("%s does not say what object it is", d.key)
		}
		if number := strings.HasSuffix(typeWords(d.fieldType()), "number") && d.fieldType() != period; number != (d.most > d.least) {
			t.Errorf("%s: only numbers have bounds, from %v to %v", d.key, d.least, d.most)
		}
		_, tag := d.place()
		for word := range strings.FieldsSeq(tag.Get("how")) {
			if !strings.Contains(" single either folders joined firm apart each ", " "+word+" ") {
				t.Errorf("%s: the tag how has the unknown word %q", d.key, word)
			}
		}
		for _, name := range regexp.MustCompile(`(\w+):"`).FindAllStringSubmatch(string(tag), -1) {
			if !strings.Contains(" key default mac range values object scope project how ", " "+name[1]+" ") {
				t.Errorf("%s has the unknown tag %s", d.key, name[1])
			}
		}
	}
}
