package definition_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/emendo-dev/emendo/agent/definition"
)

// Front matter of a hostile folder costs nothing: what would is refused unread.
func TestDecodeHostileFrontMatter(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		refs := strings.TrimSuffix(strings.Repeat("*a"+string(rune('0'+i))+",", 10), ",")
		laughs += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + refs + "]\n"
	}
	for name, tt := range map[string]struct{ matter, want string }{
		"fine":            {"name: x\nlist: [a, {b: c}]\n", ""},
		"a billion":       {laughs, "line 2: aliases are not supported"},
		"itself":          {"a: &a {b: *a}", "line 1: aliases are not supported"},
		"merged":          {"a: &a {b: c}\nd:\n  <<: *a", "line 3: aliases are not supported"},
		"long":            {"a: " + strings.Repeat("x", 16<<10), "longer than 16 KiB"},
		"deep lists":      {"a: " + strings.Repeat("[", 100), "nested too deeply"},
		"very deep lists": {"a: " + strings.Repeat("[", 16000), "nested too deeply"},
		"deep objects":    {"a: " + strings.Repeat("{a: ", 3000), "nested too deeply"},
		"deep dashes":     {"a:\n  " + strings.Repeat("- ", 3000), "nested too deeply"},
	} {
		var v struct {
			List any `yaml:"list"`
		}
		err := definition.Decode(tt.matter, &v)
		if tt.want == "" && (err != nil || v.List == nil) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: want %q, got %v", name, tt.want, err)
		}
	}
	var v struct{}
	if err := definition.Decode("other: 1", &v, yaml.Strict()); err == nil {
		t.Error("an unknown field is taken where none may be")
	}
}
