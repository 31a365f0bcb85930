package present_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// answer returns the last answer.
func (d *drawing) answer() view.Item {
	d.Helper()
	l := d.fold.Items()
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].Kind == view.KindAnswer {
			return l[i]
		}
	}
	d.Fatal("there is no answer")
	return view.Item{}
}

// writeDeep writes a file, and makes its folder.
func (d *drawing) writeDeep(name, text string) {
	d.Helper()
	if err := os.MkdirAll(filepath.Join(d.Dir, filepath.Dir(name)), 0o755); err != nil {
		d.Fatal(err)
	}
	d.Write(name, text)
}

// acceptProposed accepts the last change set.
func (d *drawing) acceptProposed() {
	d.Helper()
	var answer struct{ ChangeSets []lsptest.ChangeSet }
	d.Call("emendo/changes/list", worldtest.Obj{}, &answer)
	if len(answer.ChangeSets) == 0 {
		d.Fatal("nothing is proposed")
	}
	d.Accept(answer.ChangeSets[len(answer.ChangeSets)-1].ChangeSetID)
}

// What an answer names is opened, if it is a file that the session may show.
func TestFilesThatAnItemNamesAreOpened(t *testing.T) {
	at := func(line, character, endLine, endCharacter int) *view.Range {
		return &view.Range{Start: view.Position{Line: line, Character: character}, End: view.Position{Line: endLine, Character: endCharacter}}
	}
	cases := []struct {
		text, name string
		at         *view.Range
	}{
		{"main.go", "main.go", nil},
		{"`src/b.go:3`", "src/b.go", at(2, 0, 2, 0)},
		{"src/b.go:3:5", "src/b.go", at(2, 4, 2, 4)},
		{"src/b.go:3-9", "src/b.go", at(2, 0, 9, 0)},
		{"src/b.go#L3-L9", "src/b.go", at(2, 0, 9, 0)},
		{"src/b.go(3,2)", "src/b.go", at(2, 1, 2, 1)},
		{`"src/b.go", line 3`, "src/b.go", at(2, 0, 2, 0)},
		{"a/src/b.go", "src/b.go", nil},
		{"(**@src/b.go#L3**),", "src/b.go", at(2, 0, 2, 0)},
		{"my%20notes.md", "my notes.md", nil},
		{"a:1.txt", "a:1.txt", nil},
	}
	refused := []string{"https://example.com/a", "mailto:a@example.com", "none.go:3", "/etc/hostname", "../beside.go", "//host/share/a.go"}
	texts := append([]string{}, refused...)
	for _, c := range cases {
		texts = append(texts, c.text)
	}
	play(t, []modeltest.Reply{worldtest.Say("See " + strings.Join(texts, " and "))}, func(d *drawing) {
		for _, c := range cases {
			d.writeDeep(c.name, "x\n")
		}
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "Where?")
		answer := d.answer()
		for _, c := range cases {
			want := []view.Step{{Open: &view.Place{URI: d.URI(c.name), Range: c.at}}}
			if diff := cmp.Diff(want, d.do(id, answer.ID, "open", worldtest.Obj{"text": c.text})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.text, diff)
			}
		}
		for _, text := range refused {
			_, err := d.tryDo(id, answer.ID, "open", worldtest.Obj{"text": text})
			d.Refused(err, rpc.RequestFailed, "failed")
		}
		for _, more := range []worldtest.Obj{nil, {"text": " "}, {"text": "go.mod"}} {
			_, err := d.tryDo(id, answer.ID, "open", more)
			d.Refused(err, rpc.InvalidParams, "")
		}
	})
}

// The end of a path is enough where it is of one file that the conversation names.
func TestTheEndOfAPathIsEnough(t *testing.T) {
	read := func(name string) modeltest.Reply {
		return modeltest.Reply{modeltest.Call("read_file", `{"file_path":"`+name+`"}`)}
	}
	play(t, []modeltest.Reply{read("src/deep/a.go"), worldtest.Say("Look at deep/a.go and a.go."), read("src/other/a.go"), worldtest.Say("Look at a.go.")}, func(d *drawing) {
		d.writeDeep("src/deep/a.go", "x\n")
		d.writeDeep("src/other/a.go", "x\n")
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "Where?")
		for _, text := range []string{"deep/a.go", "a.go"} {
			if l := d.do(id, d.answer().ID, "open", worldtest.Obj{"text": text}); len(l) != 1 || l[0].Open == nil || l[0].Open.URI != d.URI("src/deep/a.go") {
				t.Errorf("%s: the steps are %+v", text, l)
			}
		}
		d.Prompt(id, "And now?")
		_, err := d.tryDo(id, d.answer().ID, "open", worldtest.Obj{"text": "a.go"})
		d.Refused(err, rpc.RequestFailed, "failed")
	})
}

// A code block goes where its answer says, or to where the user is, as an edit to review.
func TestACodeBlockIsApplied(t *testing.T) {
	const file = "package a\n\nfunc a() int {\n\treturn 1\n}\n\nfunc b() {}\n"
	const block = "func a() int {\n\treturn 2\n}\n"
	const applied = "package a\n\nfunc a() int {\n\treturn 2\n}\n\nfunc b() {}\n"
	for _, c := range []struct {
		name, info, before string
		text               string
		change, want       string
	}{
		{"after the fence", `go title="src/a.go"`, "", block, "src/a.go", applied},
		{"after the language", "go:src/a.go", "", block, "src/a.go", applied},
		{"in the line above", "go", "**`src/a.go`**:", block, "src/a.go", applied},
		{"a new file", "go src/new.go", "", "package a", "src/new.go", "package a\n"},
		{"nowhere in the file", "src/a.go", "", "// end", "src/a.go", file + "// end\n"},
		{"the whole file", "src/a.go", "", applied, "src/a.go", applied},
	} {
		t.Run(c.name, func(t *testing.T) {
			withReviews(t, []modeltest.Reply{worldtest.Say("So:\n\n```go\n" + block + "```\n")}, func(d *drawing) {
				d.writeDeep("src/a.go", file)
				id := d.Session(nil)
				d.get(id)
				d.Prompt(id, "How?")
				l := d.do(id, d.answer().ID, "apply", worldtest.Obj{"text": c.text, "values": worldtest.Obj{"info": []string{c.info}, "before": []string{c.before}}})
				isNew := c.change == "src/new.go"
				want := []view.Step{{Diff: []view.Compared{{Place: view.Place{URI: d.URI(c.change)}, New: c.want}}}}
				if isNew && !cmp.Equal(want, l) || !isNew && (len(l) != 1 || l[0].Open == nil || l[0].Open.URI != d.URI(c.change)) {
					t.Fatalf("the steps are %+v", l)
				}
				d.acceptProposed()
				synctest.Wait()
				if got := d.Read(c.change); got != c.want {
					t.Errorf("the file is %q, want %q", got, c.want)
				}
			})
		})
	}
}

// Where nothing says which file a block is for, it is the one in which the user is, the one
// that they choose, or none.
func TestACodeBlockForAnUnknownFile(t *testing.T) {
	read := modeltest.Reply{modeltest.Call("read_file", `{"file_path":"x/a.go"}`), modeltest.Call("read_file", `{"file_path":"y/a.go"}`)}
	withReviews(t, []modeltest.Reply{read, worldtest.Say("So.")}, func(d *drawing) {
		d.writeDeep("x/a.go", "one\n")
		d.writeDeep("y/a.go", "one\n")
		id := d.Session(nil)
		d.get(id)
		d.Prompt(id, "How?")
		answer := d.answer()
		apply := func(text, info string) ([]view.Step, error) {
			a, err := d.tryDo(id, answer.ID, "apply", worldtest.Obj{"text": text, "values": worldtest.Obj{"info": []string{info}}})
			return a.Steps, err
		}
		for _, c := range [][2]string{{"two", "go"}, {" \n", "go x/a.go"}, {"two", "go ../beside.go"}, {"one", "go x/a.go"}} {
			_, err := apply(c[0], c[1])
			d.Refused(err, rpc.RequestFailed, "failed")
		}
		if l, err := apply("two", "a.go"); err != nil || len(l) != 0 || len(d.fold.Questions) != 1 {
			t.Fatalf("asked with %v, the steps %+v and the questions %+v", err, l, d.fold.Questions)
		}
		q := d.fold.Questions[0]
		if q.Code != "which_file" || len(q.Options) != 3 || q.Options[1].Title.Text != "y/a.go" {
			t.Errorf("asked is %+v", q)
		}
		d.writeDeep("y/a.go", "one\nsince\n")
		if l := d.do(id, q.ID, "file:1", nil); len(l) != 1 || l[0].Open == nil || l[0].Open.URI != d.URI("y/a.go") {
			t.Errorf("the steps are %+v", l)
		}
		d.acceptProposed()
		synctest.Wait()
		if got := d.Read("y/a.go"); got != "one\nsince\ntwo\n" {
			t.Errorf("the chosen file is %q", got)
		}
		d.Editor.Notify("emendo/editor/didChangeContext", worldtest.Obj{"activeEditor": worldtest.Obj{
			"uri": d.URI("x/a.go"), "selections": []any{worldtest.Obj{"start": worldtest.Obj{"line": 0, "character": 0}, "end": worldtest.Obj{"line": 1, "character": 0}}},
		}})
		synctest.Wait()
		if l, err := apply("two", ""); err != nil || len(l) != 1 || l[0].Open.URI != d.URI("x/a.go") {
			t.Errorf("the steps are %+v, %v", l, err)
		}
		d.acceptProposed()
		synctest.Wait()
		if got := d.Read("x/a.go"); got != "two\n" {
			t.Errorf("the file is %q", got)
		}
	})
}
