package transcript

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestADiffKeepsOneTextInTheLog(t *testing.T) {
	long := strings.Repeat("a line of text <&>\n", 100)
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name  string
		diff  Diff
		whole bool // the new text is there too
	}{
		{name: "a small change of a long text", diff: Diff{"/a", &long, "first\n" + long + "last"}},
		{name: "lines taken out", diff: Diff{"/a", &long, long[19*3:]}},
		{name: "a new file", diff: Diff{"/a", nil, long}, whole: true},
		{name: "a new empty file", diff: Diff{"/a", nil, ""}, whole: true},
		{name: "emptied", diff: Diff{"/a", &long, ""}, whole: true},
		{name: "all of it is another", diff: Diff{"/a", &long, strings.ToUpper(long)}, whole: true},
		{name: "short texts", diff: Diff{"/a", text("a\n"), "b\n"}, whole: true},
		{name: "nothing changed", diff: Diff{"/a", &long, long}, whole: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Record{Event: ToolUpdate{CallID: "c", Diffs: []Diff{c.diff}}}
			line, err := r.line()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(line), `"new"`); got != c.whole {
				t.Errorf("the new text is there whole: %v\n%s", got, line)
			}
			got, err := parseRecord(line)
			if err != nil || !reflect.DeepEqual(got.Event, r.Event) {
				t.Errorf("got %+v, %v", got.Event, err)
			}
		})
	}
}

func TestADiffIsReadOnlyFromWhatMakesOne(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{name: "both texts, as older logs have them", line: `{"path":"/a","old":"a\n","new":"b\n"}`, want: "b\n"},
		{name: "changes", line: `{"path":"/a","old":"a\nb\nc\n","changes":[{"a":0,"b":2,"text":"A\n"},{"a":4,"b":6}]}`, want: "A\nb\n"},
		{name: "neither", line: `{"path":"/a"}`, want: "error"},
		{name: "changes out of order", line: `{"path":"/a","old":"a\nb\nc\n","changes":[{"a":4,"b":6},{"a":0,"b":2}]}`, want: "error"},
		{name: "a change past the end", line: `{"path":"/a","old":"a\n","changes":[{"a":0,"b":3}]}`, want: "error"},
		{name: "a change before the beginning", line: `{"path":"/a","old":"a\n","changes":[{"a":-1,"b":1}]}`, want: "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Diff
			got := "error"
			if err := json.Unmarshal([]byte(c.line), &d); err == nil {
				got = d.New
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
