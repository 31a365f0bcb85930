package view

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// What a folder without trust does not allow has not failed, and says why.
func TestACallInAFolderWithoutTrust(t *testing.T) {
	e := transcript.ToolUpdate{State: transcript.Failure, ErrorType: tools.Untrusted}
	state := callState(e)
	if note := callNote(e, state); state != Denied || note == nil || note.Code != "call.restricted" {
		t.Errorf("it is %s: %+v", state, note)
	}
}

func TestOutputThatContinues(t *testing.T) {
	for _, c := range []struct {
		name, before, now, added string
		ok                       bool
	}{
		{name: "the first", now: "one\n", added: "one\n", ok: true},
		{name: "more", before: "one\n", now: "one\ntwo\n", added: "two\n", ok: true},
		{name: "more, without its beginning", before: "one\ntwo\n", now: "two\nthree\n", added: "three\n", ok: true},
		{name: "lines that repeat", before: "a\na\nb\na\n", now: "a\nc\n", added: "c\n", ok: true},
		{name: "the same", before: "one\n", now: "one\n", ok: true},
		{name: "something else", before: "one\n", now: "two\n", added: "two\n"},
		{name: "a bar that was drawn again", before: "10 %", now: "20 %", added: "20 %"},
	} {
		if added, ok := continues(c.before, c.now); added != c.added || ok != c.ok {
			t.Errorf("%s: got %q, %v, want %q, %v", c.name, added, ok, c.added, c.ok)
		}
	}
}
