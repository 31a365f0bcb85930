package client

import (
	"reflect"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Editors truncate long messages, so a question must say that it is long.
func TestLongQuestionsSaySo(t *testing.T) {
	for _, c := range []struct {
		name, text, says string
	}{
		{"a short one", "Run ls?", ""},
		{"many characters", "Run echo " + strings.Repeat("世", 800) + "?", "1 line, 810 characters"},
		{"many lines", "Run" + strings.Repeat("\n", 20) + "ls?", "21 lines, 26 characters"},
	} {
		got := WithLength(c.text)
		if c.says == "" && got != c.text || strings.Count(got, c.says) < 2 || !strings.Contains(got, "\n\n"+c.text+"\n\n") && c.says != "" {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

func TestDeclarations(t *testing.T) {
	for _, c := range []struct {
		name, capabilities string
		want               Abilities
	}{
		{"nothing", ``, Abilities{Encoding: ide.UTF16}},
		{"null", `null`, Abilities{Encoding: ide.UTF16}},
		{"objects that are null", `{"general":null,"window":null,"workspace":{"workspaceEdit":null},"textDocument":{"publishDiagnostics":null},"experimental":null}`, Abilities{Encoding: ide.UTF16}},
		{"false for no", `{"window":{"showMessage":false,"showDocument":{"support":false}},"textDocument":{"publishDiagnostics":false}}`, Abilities{Encoding: ide.UTF16}},
		{"things of another shape", `{"window":[1],"experimental":{"emendo":true},"general":{"positionEncodings":"utf-8"}}`, Abilities{Encoding: ide.UTF16}},
		{"utf-8 among others", `{"general":{"positionEncodings":["utf-32","utf-8"]}}`, Abilities{Encoding: ide.UTF8}},
		{"presence is enough", `{"window":{"showMessage":{}},"textDocument":{"publishDiagnostics":{}}}`, Abilities{Encoding: ide.UTF16, MessageRequest: true, Publish: true}},
		{"requests that it passes on", `{"experimental":{"emendo":{"requests":["workspace/symbol",7]}}}`, Abilities{Encoding: ide.UTF16, Requests: []string{"workspace/symbol"}}},
		{"emendo's own", `{"experimental":{"emendo":{"version":1,"session":true,"changes":true,"status":"yes"}}}`, Abilities{Encoding: ide.UTF16, Session: true, Changes: true}},
	} {
		if got := ReadAbilities("", []byte(c.capabilities)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestFocusIsSentOrInferred(t *testing.T) {
	var k Focus
	at := func(line uint32) ide.Range {
		p := ide.Position{Line: line}
		return ide.Range{Start: p, End: p}
	}
	k.Opened("file:///a")
	k.Opened("file:///b")
	k.NoteRange("file:///a", at(3))
	f := k.Current()
	if !f.Inferred || f.Active != "file:///a" || f.Selections[0] != at(3) || len(f.Open) != 2 || f.Open[0] != "file:///a" {
		t.Errorf("inferred %+v", f)
	}
	k.Closed("file:///a")
	if f := k.Current(); f.Active != "" || f.Selections != nil || len(f.Open) != 1 {
		t.Errorf("after closing %+v", f)
	}
	p, err := rpc.Decode[ContextParams]([]byte(`{"activeEditor":{"uri":"file:///c","selections":[]},"openEditors":[{"uri":"file:///x"},{"uri":"file:///old","lastFocused":"2026-01-01"},{"uri":"file:///new","lastFocused":"2026-01-02"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.DidChangeContext(p); err != nil {
		t.Fatal(err)
	}
	k.NoteRange("file:///b", at(1))
	f = k.Current()
	if f.Inferred || f.Active != "file:///c" || len(f.Open) != 3 || f.Open[0] != "file:///new" || f.Open[2] != "file:///x" {
		t.Errorf("capabilities %+v", f)
	}
}
