package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// What is asked about may stand where an editor cuts a message off.
func TestLongQuestionsSaySo(t *testing.T) {
	for _, c := range []struct {
		name, text, says string
	}{
		{"a short one", "Run ls?", ""},
		{"many characters", "Run echo " + strings.Repeat("世", 800) + "?", "1 line, 810 characters"},
		{"many lines", "Run" + strings.Repeat("\n", 20) + "ls?", "21 lines, 26 characters"},
	} {
		got := inSight(c.text)
		if c.says == "" && got != c.text || strings.Count(got, c.says) < 2 || !strings.Contains(got, "\n\n"+c.text+"\n\n") && c.says != "" {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

func TestAnswersAsMessages(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	for _, c := range []struct {
		name, text string
		stop       agent.StopReason
		want       string
	}{
		{"a short one", " Yes.\n", agent.EndTurn, "Yes."},
		{"none", "", agent.EndTurn, "emendo is done."},
		{"a long one", long, agent.EndTurn, wholeAnswer + strings.Repeat("line\n", 20) + "…"},
		{"one of two lines", "One.\nTwo.", agent.EndTurn, wholeAnswer + "One.\nTwo."},
		{"a wide one", strings.Repeat("a", 81), agent.EndTurn, wholeAnswer + strings.Repeat("a", 81)},
		{"one that was stopped", "Half", agent.StopMaxTokens, "Half\n(The answer reached the model's limit.)"},
		{"a prompt that was refused", "", agent.StopBlocked, "(The provider refused the prompt.)"},
	} {
		if got := answerText(agent.Ended{Text: c.text, StopReason: c.stop}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := answerText(agent.Ended{Text: strings.Repeat("ä", 3000), StopReason: agent.EndTurn}); len(got) > 2100 || strings.Contains(got, "\uFFFD") {
		t.Errorf("a long line is %d bytes", len(got))
	}
}

func TestWhatIsDeclared(t *testing.T) {
	for _, c := range []struct {
		name, capabilities string
		want               abilities
	}{
		{"nothing", ``, abilities{encoding: ide.UTF16}},
		{"null", `null`, abilities{encoding: ide.UTF16}},
		{"objects that are null", `{"general":null,"window":null,"workspace":{"workspaceEdit":null},"textDocument":{"publishDiagnostics":null},"experimental":null}`, abilities{encoding: ide.UTF16}},
		{"false for no", `{"window":{"showMessage":false,"showDocument":{"support":false}},"textDocument":{"publishDiagnostics":false}}`, abilities{encoding: ide.UTF16}},
		{"things of another shape", `{"window":[1],"experimental":{"emendo":true},"general":{"positionEncodings":"utf-8"}}`, abilities{encoding: ide.UTF16}},
		{"utf-8 among others", `{"general":{"positionEncodings":["utf-32","utf-8"]}}`, abilities{encoding: ide.UTF8}},
		{"presence is enough", `{"window":{"showMessage":{}},"textDocument":{"publishDiagnostics":{}}}`, abilities{encoding: ide.UTF16, messageRequest: true, publish: true}},
		{"emendo's own", `{"experimental":{"emendo":{"version":1,"session":true,"changes":true,"status":"yes"}}}`, abilities{encoding: ide.UTF16, session: true, changes: true}},
	} {
		if got := readAbilities([]byte(c.capabilities)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What is wrong with parameters is said in their own names.
func TestParametersThatDoNotFit(t *testing.T) {
	for raw, want := range map[string]string{
		`[1]`:                           "the parameters are an object, and this is a JSON array",
		`{"decisions":[{"text":7}]}`:    "the parameters do not fit: decisions.text is a JSON number, which it cannot be",
		`{"decisions":[],"comment":{}}`: "the parameters do not fit: comment is a JSON object, which it cannot be",
	} {
		if _, err := decode[resolveParams]([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}

func TestWhatIsCancelledHasNotFailed(t *testing.T) {
	for _, err := range []error{agent.ErrCancelled, context.Canceled, fmt.Errorf("compacting: %w", context.Canceled)} {
		if got := refusal(t.Context(), err); !errors.Is(got, rpc.ErrRequestCancelled) {
			t.Errorf("%v is answered %v", err, got)
		}
	}
}

func TestFocusIsToldOrInferred(t *testing.T) {
	s := &server{}
	at := func(line uint32) ide.Range {
		p := ide.Position{Line: line}
		return ide.Range{Start: p, End: p}
	}
	s.focus.opened("file:///a")
	s.focus.opened("file:///b")
	s.focus.seen("file:///a", at(3))
	f := s.focus.now()
	if !f.Inferred || f.Active != "file:///a" || f.Selections[0] != at(3) || len(f.Open) != 2 || f.Open[0] != "file:///a" {
		t.Errorf("inferred %+v", f)
	}
	s.focus.closed("file:///a")
	if f := s.focus.now(); f.Active != "" || f.Selections != nil || len(f.Open) != 1 {
		t.Errorf("after closing %+v", f)
	}
	p, err := decode[contextParams]([]byte(`{"activeEditor":{"uri":"file:///c","selections":[]},"openEditors":[{"uri":"file:///x"},{"uri":"file:///old","lastFocused":"2026-01-01"},{"uri":"file:///new","lastFocused":"2026-01-02"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.didChangeContext(p); err != nil {
		t.Fatal(err)
	}
	s.focus.seen("file:///b", at(1))
	f = s.focus.now()
	if f.Inferred || f.Active != "file:///c" || len(f.Open) != 3 || f.Open[0] != "file:///new" || f.Open[2] != "file:///x" {
		t.Errorf("told %+v", f)
	}
}
