package tools_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

// effects has one of each type.
var effects = []tools.Effect{
	tools.Reads{Paths: []string{"/f"}},
	tools.Edits{},
	tools.Runs{},
	tools.Ends{},
	tools.Notes{},
	tools.Finds{},
	tools.Asks{},
	tools.Plans{},
	tools.Presents{},
	tools.Remembers{},
	tools.Sends{},
	tools.Calls{Local: true},
	tools.Samples{},
}

// Most traits restrict, so an effect that forgets one may do more: which effects have them is written
// down here once more.
func TestTraits(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "effect.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	methods := 0
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "traits" {
			methods++
		}
	}
	if methods != len(effects) {
		t.Fatalf("%d types are effects, and %d are checked here", methods, len(effects))
	}
	for _, tt := range []struct {
		trait string
		has   func(tools.Traits) bool
		want  []string
	}{
		{"acts", func(t tools.Traits) bool { return t.Acts }, []string{"calls", "edits", "plans", "remembers", "runs", "samples", "sends"}},
		{"denied in a restricted folder", func(t tools.Traits) bool { return t.Restricted != "" }, []string{"calls", "remembers", "runs", "samples", "sends"}},
		{"asked about by a built-in rule", func(t tools.Traits) bool { return t.WhyAsked != "" }, []string{"calls", "edits", "plans", "remembers", "runs", "samples", "sends"}},
		{"denied in plan mode in its own words", func(t tools.Traits) bool { return t.InPlanMode != "" }, []string{"calls", "remembers", "runs"}},
		{"refused in its own words", func(t tools.Traits) bool { return t.Refused != "" }, []string{"plans", "presents"}},
		{"complete", func(t tools.Traits) bool { return t.Complete }, []string{"edits", "ends", "presents", "reads", "remembers", "runs"}},
		{"repeatable", func(t tools.Traits) bool { return t.Repeatable }, []string{"reads", "sends"}},
		{"names files", func(t tools.Traits) bool { return t.NamesFiles }, []string{"edits", "reads", "runs"}},
		{"reads the disk", func(t tools.Traits) bool { return t.ReadsDisk }, []string{"calls", "runs"}},
	} {
		var got []string
		for _, e := range effects {
			if is := tools.TraitsOf(e); tt.has(is) {
				got = append(got, is.Name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.trait, got, tt.want)
		}
	}
	if never := tools.TraitsOf(nil); !never.Acts || never.Restricted == "" {
		t.Errorf("a call that was never prepared: %+v", never)
	}
}
