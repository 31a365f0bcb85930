package transcript

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestSplitThought(t *testing.T) {
	for _, c := range []struct{ name, thought, subject, text string }{
		{name: "a subject and more", thought: "**Reading** I read it.\n", subject: "Reading", text: "I read it."},
		{name: "a subject alone", thought: "**Reading**", subject: "Reading"},
		{name: "a subject over two lines", thought: "**Reading\nit**\n\nSlowly.", subject: "Reading\nit", text: "Slowly."},
		{name: "a subject that comes later", thought: "So: **Reading** I read.", subject: "Reading", text: "So:  I read."},
		{name: "the first pair counts", thought: "**One** and **two**", subject: "One", text: "and **two**"},
		{name: "a pair that is not closed", thought: "**Reading it", text: "**Reading it"},
		{name: "nothing between", thought: "****go", text: "go"},
		{name: "no subject keeps every space", thought: " and so ", text: " and so "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if subject, text := SplitThought(c.thought); subject != c.subject || text != c.text {
				t.Errorf("%q, %q; want %q, %q", subject, text, c.subject, c.text)
			}
		})
	}
}

func TestSourcesOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		cited []model.Citation
		want  string
	}{
		{name: "none"},
		{name: "one without an address is dropped", cited: []model.Citation{{Title: "A book"}}},
		{name: "by title, or by address", cited: []model.Citation{{Title: "A", URI: "https://a"}, {URI: "https://b"}}, want: "- [A](https://a)\n- https://b\n"},
		{name: "each once, in order", cited: []model.Citation{{URI: "https://b"}, {URI: "https://a"}, {Title: "B", URI: "https://b"}}, want: "- https://a\n- https://b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := SourcesOf(c.cited); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestObject(t *testing.T) {
	for _, c := range []struct {
		name, args, want string
		none             bool
	}{
		{name: "white space goes, digits and escapes stay", args: " {\n \"n\": 12345678901234567890, \"s\": \"<a> \\u00e9\\/ b\" } ", want: `{"n":12345678901234567890,"s":"<a> \u00e9\/ b"}`},
		{name: "a list", args: `[1]`, want: `{}`, none: true},
		{name: "half an object", args: `{"a":`, want: `{}`, none: true},
		{name: "nothing", want: `{}`, none: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := CallArgs([]byte(c.args)); string(got) != c.want || ok == c.none {
				t.Errorf("%s, %v; want %s", got, ok, c.want)
			}
		})
	}
}
