package view_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// toldTurn has what a turn emits, and what the user has to read of it.
type toldTurn struct {
	name   string
	events []transcript.Event
	says   []string // each stands in what is shown
	killed bool     // emendo ended before the turn did
}

// tell writes what a client shows of turns into a golden file, and checks what the user has to
// read, which the file alone could lose with -update.
func tell(t *testing.T, file string, turns []toldTurn) {
	t.Helper()
	var b, encoded strings.Builder // for people and for the tests of clients
	for _, turn := range turns {
		c := view.NewConversation(view.Options{Encoding: ide.UTF16, Folders: folder("/w")})
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		c.Run("turn")
		for _, e := range turn.events {
			c.Add(transcript.Update{TurnID: "turn", At: at, Event: e})
		}
		if turn.killed {
			c.Run("")
		}
		got := writtenItems(all(c))
		fmt.Fprintf(&b, "== %s\n%s", turn.name, got)
		raw, err := json.Marshal(map[string]any{"name": turn.name, "items": all(c)})
		if err != nil {
			t.Fatal(err)
		}
		encoded.WriteString(string(raw) + "\n")
		for _, s := range turn.says {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is not said:\n%s", turn.name, s, got)
			}
		}
	}
	golden(t, file, b.String())
	golden(t, strings.TrimSuffix(file, ".txt")+".jsonl", encoded.String())
}

// writtenItems returns items as text to read.
func writtenItems(items []view.Item) string {
	var b strings.Builder
	depth := map[string]int{}
	for _, i := range items {
		if i.Parent != "" {
			depth[i.ID] = depth[i.Parent] + 1
		}
		in := strings.Repeat("  ", depth[i.ID])
		fmt.Fprintf(&b, "%s%s %s %s: %s", in, i.Kind, i.State, i.Look, i.Title.Text)
		if i.Note != nil {
			b.WriteString(" · " + i.Note.Text)
		}
		if i.Until != "" {
			b.WriteString(" until " + i.Until)
		}
		b.WriteString("\n")
		for _, l := range i.Lines {
			b.WriteString(in + "  - ")
			if l.Label != nil {
				b.WriteString(l.Label.Text + ": ")
			}
			fmt.Fprintf(&b, "%s (%s)", l.Text.Text, strings.TrimSpace(l.ID+" "+l.Look+" "+string(l.State)))
			if l.Place != nil {
				b.WriteString(" " + l.Place.URI)
			}
			b.WriteString("\n")
		}
		for _, p := range i.Parts {
			fmt.Fprintf(&b, "%s  %s: %q", in, p.Kind, p.Text)
			for _, r := range p.Rows {
				fmt.Fprintf(&b, " %s%s", r.Mark, r.Text)
			}
			b.WriteString("\n")
		}
		for _, a := range i.Actions {
			fmt.Fprintf(&b, "%s  [%s]\n", in, a.ID)
		}
	}
	return b.String()
}

// constantsOf returns the texts of the constants of a type that a file of package transcript
// declares.
func constantsOf(t *testing.T, file, typ string) (l []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../transcript/"+file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := v.Type.(*ast.Ident); ok && of.Name == typ {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			l = append(l, s)
		}
		return true
	})
	if len(l) == 0 {
		t.Fatalf("%s has no %s", file, typ)
	}
	return l
}

func prompted(text string) transcript.Event {
	return transcript.UserChunk{MessageID: "m1", Block: transcript.Block{Type: transcript.TextBlock, Text: text}}
}

// Each reason why a turn can end is said, with all that it came to.
func TestTurnsSayHowTheyEnded(t *testing.T) {
	cost := transcript.Usage{Usage: model.Usage{Input: 12_300, Output: 400, Thought: 56, Total: 12_756, Cost: 1.5, Priced: 12_756}}
	end := transcript.TurnEnded{
		Usage: cost, DurationMS: 61_500, Files: []transcript.FileSummary{{URI: "file:///w/sub/a.go", Added: 3, Removed: 1}},
		Unasked: []transcript.Unasked{{CallID: "c1", Command: "go test ./..."}},
	}
	facts := []string{"sub/a.go +3 −1", "file:///w/sub/a.go", "go test ./...", "1 min 2 s", "12.3K in", "456 out", "about 1.50 USD", "model-x"}
	answer := []transcript.Event{prompted("Do it"), transcript.Text{MessageID: "m2", Text: "It is done."}, transcript.ResponseFinished{MessageID: "m2", Model: "model-x"}}
	var turns []toldTurn
	for _, r := range constantsOf(t, "event.go", "StopReason") {
		end.StopReason = transcript.StopReason(r)
		turns = append(turns, toldTurn{name: r, events: append(slices.Clone(answer), end), says: facts})
	}
	call := []transcript.Event{
		prompted("Do it"),
		transcript.ToolCall{CallID: "c1", MessageID: "m2", Name: "read_file", Title: "Read a.go", Kind: tools.Read},
		transcript.ToolUpdate{CallID: "c1", State: transcript.Success},
		transcript.TurnEnded{StopReason: transcript.EndTurn},
	}
	unpriced := cost
	unpriced.Priced = 100
	turns = append(
		turns, toldTurn{name: "end_turn without an answer", events: call, says: []string{"without an answer"}},
		toldTurn{name: "end_turn with a part that has no price", events: append(slices.Clone(answer), transcript.TurnEnded{StopReason: transcript.EndTurn, Usage: unpriced}), says: []string{"at least 1.50 USD"}},
		toldTurn{name: "it still runs", events: answer[:1], says: []string{"Working", "[stop]"}},
	)
	tell(t, "turns.txt", turns)
}

// Each kind of notice is shown with what it says, and so is what becomes of the history.
func TestNoticesSayWhatHappened(t *testing.T) {
	var turns []toldTurn
	for _, code := range constantsOf(t, "notice.go", "NoticeCode") {
		n := transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeCode(code), Title: "Title of " + code, Description: "Why a\u202eb, and *what* helps."}
		says := []string{"notice  warning: " + n.Title, "and *what* helps."}
		if code == string(transcript.NoticeRetry) {
			n.RetryAfterMS = 4000
			says = append(says, "until 2026-01-02T03:04:09.000Z")
		}
		turns = append(turns, toldTurn{name: code, events: []transcript.Event{prompted("Do it"), n}, says: says})
	}
	for _, severity := range constantsOf(t, "notice.go", "Severity") {
		n := transcript.Notice{Severity: transcript.Severity(severity), Code: transcript.NoticeMCP, Title: "It ended"}
		turns = append(turns, toldTurn{name: severity, events: []transcript.Event{n}, says: []string{severity + ": It ended"}})
	}
	for _, status := range []string{"in_progress", "completed", "failed"} {
		e := transcript.Compaction{ID: "x", Status: status, OriginalTokens: 90_000, NewTokens: 9000}
		says := map[string][]string{"in_progress": {"running"}, "completed": {"done", "90K → 9K tokens"}, "failed": {"failed warning"}}[status]
		turns = append(turns, toldTurn{name: "compaction " + status, events: []transcript.Event{e}, says: says})
	}
	begun := []transcript.Event{prompted("Do it"), transcript.Compaction{ID: "x", Status: "in_progress"}}
	turns = append(turns, toldTurn{name: "compaction that was interrupted", events: begun, killed: true, says: []string{"notice interrupted warning"}})
	tell(t, "notices.txt", turns)
}

// Each state of a call is shown, with its note and all that is known of it.
func TestCallsSayHowTheyStand(t *testing.T) {
	begun := transcript.ToolCall{CallID: "c1", MessageID: "m2", Name: "run_shell_command", Title: "make all", Kind: tools.Execute, Args: json.RawMessage(`{"command":"make all\nmake check"}`)}
	at := []tools.Location{{Path: "/w/a.go", Line: 3}, {Path: "/w/sub/b.go"}}
	var turns []toldTurn
	seen := map[string]bool{}
	add := func(name string, u transcript.ToolUpdate, says ...string) {
		u.CallID = "c1"
		seen[string(u.State)] = true
		turns = append(turns, toldTurn{name: name, events: []transcript.Event{prompted("Do it"), begun, u}, says: append(says, "make all", "make check")})
	}
	add("validating", transcript.ToolUpdate{State: transcript.Validating}, "call waiting execute", "[stop]")
	add("scheduled", transcript.ToolUpdate{State: transcript.Scheduled}, "call waiting", "[stop]")
	add("awaiting approval", transcript.ToolUpdate{State: transcript.AwaitingApproval}, "call asks", "· waits for your answer", "[stop]")
	add("awaiting review", transcript.ToolUpdate{State: transcript.AwaitingReview}, "call asks", "· waits for your decision", "[stop]")
	add("executing", transcript.ToolUpdate{State: transcript.Executing, Live: "line 1\n", Locations: at}, "call running", "line 1", "a.go:3", "sub/b.go", "file:///w/sub/b.go", "[stop]")
	add("done", transcript.ToolUpdate{State: transcript.Success, Display: "```\nall is well\n```"}, "call done", "output", "all is well")
	add("done, in Markdown", transcript.ToolUpdate{State: transcript.Success, Display: "**Well.**"}, "markdown", "**Well.**")
	add("done with a summary", transcript.ToolUpdate{State: transcript.Success, Summary: "3 files", DurationMS: 61_000, Locations: at}, "· 3 files", "1 min 1 s", "a.go:3")
	add("done after long", transcript.ToolUpdate{State: transcript.Success, DurationMS: 61_000}, "· 1 min 1 s")
	add("done with a change", transcript.ToolUpdate{State: transcript.Success, Diffs: []transcript.Diff{{Path: "/w/a.go", Old: new("1\n"), New: "2\n"}}}, "diff", "-1", "+2")
	add("exit status", transcript.ToolUpdate{State: transcript.Success, ExitCode: new(2), Display: "```\nno rule\n```"}, "call failed", "· exit 2", "no rule")
	add("signal", transcript.ToolUpdate{State: transcript.Success, Signal: "SIGKILL"}, "call failed", "SIGKILL")
	add("failed", transcript.ToolUpdate{State: transcript.Failure, Output: "no such file", ErrorType: tools.FileNotFound}, "call failed", "no such file")
	add("not allowed", transcript.ToolUpdate{State: transcript.Failure, ErrorType: tools.PolicyViolation, Rule: "administrator: 3", Output: "denied"}, "call denied", "not allowed", "Rule: administrator: 3", "denied")
	add("rejected", transcript.ToolUpdate{State: transcript.Cancelled, Output: "The user said no."}, "call rejected", "· rejected", "said no")
	add("cancelled", transcript.ToolUpdate{State: transcript.Cancelled, ErrorType: tools.Cancelled}, "call cancelled", "· cancelled")
	running := []transcript.Event{prompted("Do it"), begun, transcript.ToolUpdate{CallID: "c1", State: transcript.Executing, Live: "line 1\n"}}
	turns = append(turns, toldTurn{name: "stopped with its turn", events: append(running, transcript.TurnEnded{StopReason: transcript.StopCancelled}), says: []string{"call cancelled", "· cancelled", "line 1"}})
	turns = append(turns, toldTurn{name: "interrupted with its turn", events: running, killed: true, says: []string{"turn interrupted", "call interrupted", "· interrupted", "line 1"}})
	nested := transcript.ToolCall{CallID: "c2", Parent: "c1", Title: "Read a.go", Kind: tools.Read}
	turns = append(turns, toldTurn{name: "with calls below it", events: []transcript.Event{prompted("Do it"), begun, nested}, says: []string{"· 1 call", "call waiting read: Read a.go"}})
	for _, s := range constantsOf(t, "call.go", "CallState") {
		if !seen[s] {
			t.Errorf("no call is %s", s)
		}
	}
	tell(t, "calls.txt", turns)
}
