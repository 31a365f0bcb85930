// Package export writes a session as Markdown to read, or as JSON. It knows
// nothing of how sessions are stored.
package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// below is the distance, in lines, from the heading of an answer to the line to
// open: an editor that shows it at the bottom of its window shows the heading too.
const below = 5

// LastAnswer returns the line of a transcript to open it at, from 0: near the
// beginning of the last answer, or of a prompt without one.
func LastAnswer(text string) int {
	at := max(strings.LastIndex(text, "\n## You\n"), strings.LastIndex(text, "\n## emendo\n"))
	return min(strings.Count(text[:at+1], "\n")+below, strings.Count(strings.TrimRight(text, "\n"), "\n"))
}

// Markdown returns a session as Markdown. It may hold control characters.
func Markdown(info transcript.SessionInfo, updates []transcript.Update) string {
	void := map[string]bool{} // retracted messages
	for _, u := range updates {
		if r, ok := u.Event.(transcript.Retract); ok {
			void[r.MessageID] = true
		}
	}
	w := writer{titles: map[string]string{}}
	fmt.Fprintf(&w.b, "# %s\n\n%s · %s · %s · %s\n", visible.OneLine(info.Title), info.ID, info.Cwd, info.CreatedAt.Local().Format(time.DateTime), answered(info.Model, updates))
	if info.Summary != "" {
		fmt.Fprintf(&w.b, "\n%s\n", visible.OneLine(info.Summary))
	}
	for _, u := range updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // the others are bookkeeping
		case transcript.UserChunk:
			w.text("You", blockText(e.Block))
		case transcript.Text:
			if !void[e.MessageID] {
				w.text("emendo", e.Text)
			}
		case transcript.ToolCall:
			w.titles[e.CallID] = e.Title
		case transcript.ToolUpdate:
			w.call(e)
		case transcript.Notice:
			if e.Severity != transcript.Info {
				w.item("emendo", fmt.Sprintf("%s: %s", e.Title, e.Description))
			}
		case transcript.TurnEnded:
			if e.StopReason != transcript.EndTurn {
				w.item("emendo", "the turn ended as "+string(e.StopReason))
			}
			w.speaker = "" // the next turn has headings of its own
		}
	}
	return w.b.String()
}

// answered returns the model that the user chose, followed by other models that
// answered.
func answered(chosen string, updates []transcript.Update) string {
	var names []string
	for _, u := range updates {
		if f, ok := u.Event.(transcript.ResponseFinished); ok && f.Model != "" && f.Model != chosen && !slices.Contains(names, f.Model) {
			names = append(names, f.Model)
		}
	}
	if len(names) == 0 {
		return chosen
	}
	return fmt.Sprintf("%s (%s)", chosen, strings.Join(names, ", "))
}

// writer writes the conversation, with a heading wherever the speaker changes.
type writer struct {
	b       strings.Builder
	speaker string
	items   bool              // the last thing written is a list item
	titles  map[string]string // of calls
}

func (w *writer) turnTo(speaker string) {
	if w.speaker != speaker {
		fmt.Fprintf(&w.b, "\n## %s\n", speaker)
		w.speaker, w.items = speaker, false
	}
}

func (w *writer) text(speaker, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	w.turnTo(speaker)
	fmt.Fprintf(&w.b, "\n%s\n", text)
	w.items = false
}

func (w *writer) item(speaker, text string) {
	w.turnTo(speaker)
	if !w.items {
		w.b.WriteByte('\n')
	}
	fmt.Fprintf(&w.b, "- %s\n", visible.OneLine(text))
	w.items = true
}

// call writes a line for a finished call.
func (w *writer) call(e transcript.ToolUpdate) {
	if e.Title != "" {
		w.titles[e.CallID] = e.Title
	}
	if !e.Over() {
		return
	}
	line := "`" + strings.ReplaceAll(w.titles[e.CallID], "`", "'") + "`"
	switch {
	case e.State != transcript.Success:
		line += " " + string(e.State)
	case e.Summary != "":
		line += ": " + e.Summary
	}
	w.item("emendo", line)
}

// blockText returns a piece of a prompt as text.
func blockText(b transcript.Block) string {
	switch b.Type {
	case transcript.TextBlock:
		return b.Text
	case transcript.ImageBlock, transcript.AudioBlock, transcript.LinkBlock, transcript.ResourceBlock:
	default:
		panic("unknown block type " + b.Type)
	}
	name := b.URI
	if name == "" {
		name = b.Name
	}
	return fmt.Sprintf("[%s %s]", b.Type, name)
}
