package view_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

// What is said of no session, and before a conversation begins, says everything and offers
// what helps: the golden file has what a client is sent.
func TestNoticesOfTheWindow(t *testing.T) {
	var b strings.Builder
	for _, i := range []view.Item{
		view.Message("message-1", view.LookWarning, "settings.json: line 3: no such key\u202e\nIt is ignored.\n", time.Time{}),
		view.Message("message-2", view.LookInfo, "The log file is /tmp/x", time.Time{}),
		view.Broken.Notice("start the agent: no space left"),
		view.SignedOut.Notice(""),
		view.NoFolder.Notice(""),
		view.Untrusted.Notice("work/emendo"),
		view.Welcome(view.Seen{}),
		view.Welcome(view.Seen{File: "lsp/server.go", Unsaved: true, Selected: 1, Problems: 2, Open: 3, Folders: []string{"work/emendo"}, Sandbox: "C", Model: "gemini", Mode: "plan"}),
		view.Welcome(view.Seen{File: "a.go", Open: 1, Sandbox: "A"}),
	} {
		b.WriteString(writtenItem(i) + "\n")
	}
	golden(t, "window.txt", b.String())
}

func writtenItem(i view.Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s %s)\n", i.ID, i.Title.Text, i.Kind, i.Look)
	for _, p := range i.Parts {
		fmt.Fprintf(&b, "--- %s\n", p.Text)
	}
	for _, l := range i.Lines {
		fmt.Fprintf(&b, "%s", l.ID)
		if l.Label != nil {
			b.WriteString(" " + l.Label.Text)
		}
		fmt.Fprintf(&b, ": %s (%s)", l.Text.Text, l.Look)
		if l.Action != nil {
			fmt.Fprintf(&b, " → %s: %s", l.Action.ID, *l.Action.Steps[0].Compose)
		}
		b.WriteString("\n")
	}
	for _, a := range i.Actions {
		fmt.Fprintf(&b, "[%s] %s", a.ID, a.Title.Text)
		for _, s := range a.Steps {
			b.WriteString(" → " + s.Client)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The questions that emendo asks itself say what an answer does.
func TestQuestionsOfTheWindow(t *testing.T) {
	var b strings.Builder
	for _, q := range []view.Question{
		view.Trust("q", "/w/a\u202eb", "It would start:\n- the hook check: ./check", true),
		view.Trust("q", "/work", "", false),
		view.Choose("q", "Which one?\nA text.", []string{"Decide later", "This", "That"}),
		view.DeleteSession("q", "s", view.ListedSession{Title: "Fix the test", Turns: 2, Pending: 1}),
		view.DeleteSession("q", "s", view.ListedSession{}),
	} {
		for i := range q.Parts {
			if q.Parts[i].Label == nil {
				q.Parts[i].Label = &view.Text{}
			}
		}
		b.WriteString(written(q) + "\n")
	}
	golden(t, "window_questions.txt", b.String())
}

// A list says of a session what the user wants to know first; news are told of what the user
// did not do.
func TestSessionsInLists(t *testing.T) {
	var b strings.Builder
	for _, s := range []view.ListedSession{
		{},
		{Title: "Fix\nit", Turns: 1},
		{Title: "Works", Turns: 2, Runs: true},
		{Title: "Asks", Turns: 2, Runs: true, Waits: true},
		{Title: "Waits", Turns: 2, Runs: true, Waits: true, Pending: 1},
		{Title: "Has edits", Turns: 2, Pending: 3},
	} {
		e := view.SessionEntry(s)
		b.WriteString(e.Label.Text)
		if e.Note != nil {
			b.WriteString(" | " + e.Note.Text)
		}
		if s.Waits {
			b.WriteString(" | " + view.WaitNews(s).Text)
		}
		b.WriteString("\n")
	}
	for _, a := range view.SessionEntry(view.ListedSession{Title: "T"}).Actions {
		fmt.Fprintf(&b, "[%s] %s %v %s\n", a.ID, a.Title.Text, a.Danger, strings.Join(ids(a.Fields), " "))
	}
	for _, why := range []transcript.StopReason{transcript.EndTurn, transcript.StopMaxTokens, transcript.StopCancelled, transcript.StopError, transcript.StopBlocked} {
		fmt.Fprintf(&b, "%s:", why)
		if n := view.EndNews("T", why); n != nil {
			b.WriteString(" " + n.Text)
		}
		b.WriteString("\n")
	}
	golden(t, "sessions.txt", b.String())
}

func ids(fields []view.Field) (l []string) {
	for _, f := range fields {
		l = append(l, f.ID)
	}
	return l
}
