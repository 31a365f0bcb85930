package render_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
	"github.com/emendo-dev/emendo/tools"
)

const turn = "t1"

func updates(events ...transcript.Event) (l []transcript.Update) {
	for n, e := range events {
		l = append(l, transcript.Update{SessionID: "s", Seq: int64(n + 1), TurnID: turn, Event: e})
	}
	return l
}

func prompt(id, text string) transcript.UserChunk {
	return transcript.UserChunk{MessageID: id, Block: transcript.Block{Type: transcript.TextBlock, Text: text}}
}

func call(id, title string) transcript.ToolCall {
	return transcript.ToolCall{CallID: id, Name: "run_shell_command", Title: title, Kind: tools.Execute, Args: json.RawMessage(`{}`)}
}

// written returns what the blocks of an answer come to.
func written(blocks []render.Block) string {
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(x.Text)
	}
	return b.String()
}

// live returns what is written of a turn while it comes.
func live(l []transcript.Update) string {
	c := view.NewConversation(view.Options{})
	var a render.Answer
	var blocks []render.Block
	for _, u := range l {
		c.Add(u)
		for _, change := range c.Changes() {
			blocks = append(blocks, a.Add(change, render.Changed(c, change))...)
		}
	}
	return written(append(blocks, a.Flush()...))
}

// stored returns what is written of the turns of a session that has ended.
func stored(l []transcript.Update) string {
	var all []string
	for _, t := range render.Turns(l, nil) {
		all = append(all, written(t.Blocks))
	}
	return strings.Join(all, "")
}

// A turn is written in the same way while it comes and later, in the same order: the server
// counts blocks to tell what a file lacks. Only while it comes a broken stream leaves something
// behind, which a note explains.
func TestTurnsAreWrittenAlikeWhenTheyComeAndLater(t *testing.T) {
	ended := func(id string, e transcript.ToolUpdate) transcript.ToolUpdate {
		e.CallID = id
		return e
	}
	for _, tt := range []struct {
		name   string
		events []transcript.Event
		want   string
		later  string // if it is other
	}{
		{
			"texts around calls, which end in another order",
			[]transcript.Event{
				transcript.Text{MessageID: "m", Text: "One.\n\nTw"},
				transcript.Text{MessageID: "m", Text: "o."},
				call("1", "a"), call("2", "b"),
				ended("2", transcript.ToolUpdate{State: transcript.Success, Summary: "exit 0, 0.1 s", ExitCode: new(0)}),
				ended("1", transcript.ToolUpdate{State: transcript.Success, Summary: "exit 3, 0.1 s", ExitCode: new(3)}),
				transcript.ResponseFinished{},
				transcript.Text{MessageID: "n", Text: "Three."},
			},
			"\nOne.\n\nTwo.\n\n- `b`: exit 0, 0.1 s\n- `a`: exit 3\n\nThree.\n", "",
		},
		{
			"calls that were not done",
			[]transcript.Event{
				call("1", "a"), ended("1", transcript.ToolUpdate{State: transcript.Failure, ErrorType: tools.PolicyViolation}),
				call("2", "b"), ended("2", transcript.ToolUpdate{State: transcript.Failure, Summary: "no such file"}),
				call("3", "c"), ended("3", transcript.ToolUpdate{State: transcript.Cancelled}),
				call("4", "d"),
				transcript.TurnEnded{StopReason: transcript.StopCancelled},
			},
			"\n- `a`: not allowed\n- `b`: failed: no such file\n- `c`: rejected\n- `d`: cancelled\n\n> **Note:** Cancelled.\n", "",
		},
		{
			"notices",
			[]transcript.Event{
				transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeModel, Title: "Model", Description: "m"},
				transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeRetry, Title: "The request is repeated"},
				transcript.Compaction{ID: "c", Status: "in_progress"},
				transcript.Compaction{ID: "c", Status: "failed"},
				transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: "The turn failed", Description: "why"},
				transcript.TurnEnded{StopReason: transcript.StopError},
			},
			"\n> **Warning:** The history could not be shortened.\n\n> **Error:** The turn failed: why\n", "",
		},
		{
			"a turn that ends without an answer",
			[]transcript.Event{
				call("1", "a"), ended("1", transcript.ToolUpdate{State: transcript.Success}), transcript.TurnEnded{StopReason: transcript.EndTurn},
			},
			"\n- `a`\n\n> **Note:** The model ended the turn without an answer.\n", "",
		},
		{
			"a stream that broke",
			[]transcript.Event{
				transcript.Text{MessageID: "m", Text: "One.\n\nTw"}, transcript.Retract{MessageID: "m"}, transcript.Text{MessageID: "n", Text: "Two."},
			},
			"\nOne.\n\n> **Note:** The connection broke; the answer begins again.\n\nTwo.\n", "\nTwo.\n",
		},
		{
			"a stream that broke before anything was written",
			[]transcript.Event{
				transcript.Text{MessageID: "m", Text: "On"}, transcript.Retract{MessageID: "m"}, transcript.Text{MessageID: "n", Text: "Two."},
			},
			"\nTwo.\n", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := updates(slices.Insert(tt.events, 0, transcript.Event(prompt("p", "Why?")))...)
			later := tt.later
			if later == "" {
				later = tt.want
			}
			if got := live(l); got != tt.want {
				t.Errorf("written is\n%s\nwant\n%s", got, tt.want)
			}
			if got := stored(l); got != later {
				t.Errorf("later written is\n%s\nwant\n%s", got, later)
			}
		})
	}
}

// A prompt that steers a turn begins an answer of its own. What was added to a prompt is named
// where its text does not.
func TestPromptsBecomeQuestions(t *testing.T) {
	file := func(label string) transcript.UserChunk {
		return transcript.UserChunk{MessageID: "q", Steer: true, Block: transcript.Block{
			Type: transcript.LinkBlock, URI: "file:///w/a.go", Lines: &transcript.Lines{First: 3, Last: 5}, Mention: &transcript.Mention{Kind: transcript.MentionFile, Label: label},
		}}
	}
	steer := prompt("q", "And @b.go?")
	steer.Steer = true
	got := render.Turns(updates(
		prompt("p", "Why?"), transcript.Text{MessageID: "m", Text: "One."},
		steer, file("@b.go"), file("@c.go"), file(""), transcript.Text{MessageID: "n", Text: "Two."},
	), nil)
	want := []render.Turn{
		{ID: turn, Message: "p", Question: "Why?", Blocks: []render.Block{{Text: "\nOne.\n"}}},
		{ID: turn, Message: "q", Question: "And @b.go?\n\n`@c.go`\n\n`/w/a.go:3-5`", Blocks: []render.Block{{Text: "\nTwo.\n"}}},
	}
	if a, b := shown(t, got), shown(t, want); a != b {
		t.Errorf("turns are\n%s\nwant\n%s", a, b)
	}
}

func shown(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
