package settings

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
	for _, d := range declared {
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
		scope := map[scope]string{user: "user", anyone: "any"}[d.scope]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.key, d.doc, kind, initial, scope)
	}
	return b.String()
}

// standard returns the default as a file would have it.
func (d setting) standard() any {
	switch {
	case d.initial != nil:
		return d.initial
	case d.form().Kind() == reflect.Slice:
		return []string{}
	case d.form() == period:
		return ""
	}
	return reflect.Zero(d.form()).Interface()
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

// Every field of Settings has one declaration, and every declaration is sound.
func TestDeclarations(t *testing.T) {
	var s Settings
	claimed := map[any]string{}
	keys := map[string]bool{}
	for _, d := range declared {
		field := d.field(&s)
		if other := claimed[field]; other != "" {
			t.Errorf("%s and %s are the same field", d.key, other)
		}
		claimed[field] = d.key
		if keys[d.key] || isGroup(d.key) {
			t.Errorf("%s is declared twice, or is a group as well", d.key)
		}
		keys[d.key] = true
		if d.doc == "" || !strings.HasSuffix(d.doc, ".") {
			t.Errorf("%s has no doc of whole sentences", d.key)
		}
		if x, ok := d.initial.(float64); ok && (x < d.least || x > d.most) {
			t.Errorf("%s has a default out of its own range", d.key)
		}
		if d.initial != nil && d.object != "" {
			t.Errorf("%s is an object, and has no other default", d.key)
		}
		if n, ok := d.initial.(int); ok && (float64(n) < d.least || float64(n) > d.most) {
			t.Errorf("%s has a default out of its own range", d.key)
		}
	}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if claimed[v.Addr().Interface()] != "" {
			return
		}
		if v.Kind() != reflect.Struct {
			t.Errorf("no setting is declared for the field %s", path)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") == "-" {
				continue // a part of another field's setting
			}
			walk(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	}
	walk(reflect.ValueOf(&s).Elem(), "Settings")
}
