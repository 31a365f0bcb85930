// Package render turns the events of a session into the questions and answers of a
// chat document, while they come or afterwards. It knows nothing of where they are
// written.
package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/tools"
)

// Block is a part of an answer that is written at once.
type Block struct {
	Text string // for the end of the answer's section
	Call string // the call whose line this is; empty: it is not the line of a call
	Line string // that line, without line end
}

// Answer formats the events of a turn. The zero value is an answer without content.
type Answer struct {
	format  grammar.Answer
	message string            // the message whose text came last
	begun   bool              // some of that is written
	titles  map[string]string // of calls
	rulings map[string]string // what the user answered about calls
}

// Add returns the blocks that an event completes.
func (a *Answer) Add(event transcript.Event) []Block {
	switch e := event.(type) { //nolint:gochecksumtype // the others are not part of an answer
	case transcript.Text:
		var blocks []Block
		if e.MessageID != a.message {
			blocks = a.Flush()
			a.message, a.begun = e.MessageID, false
		}
		for _, whole := range a.format.Text(e.Text) {
			blocks, a.begun = append(blocks, Block{Text: whole}), true
		}
		return blocks
	case transcript.Retract:
		if e.MessageID != a.message {
			return nil
		}
		a.format.Flush() // the rest of a block that is not written
		if !a.begun {
			return nil
		}
		return text(a.format.AddNotice("Note", "The connection broke; the answer begins again."))
	case transcript.ToolCall:
		a.name(e.CallID, e.Title)
		blocks := a.Flush()
		a.begun = a.begun || len(blocks) > 0
		return blocks
	case transcript.ToolUpdate:
		a.name(e.CallID, e.Title)
		if e.Over() {
			return a.addCall(e.CallID, a.titles[e.CallID], a.outcome(e))
		}
	case transcript.Notice:
		return a.notice(e)
	case transcript.ResponseFinished:
		return a.Flush()
	case transcript.TurnEnded:
		blocks := a.Flush()
		if e.StopReason == transcript.StopCancelled { // of the other reasons there are notices
			blocks = append(blocks, text(a.format.AddNotice("Note", view.Stopped(e.StopReason).Text))...)
		}
		return blocks
	}
	return nil
}

// Flush returns the block that is not complete yet.
func (a *Answer) Flush() []Block { return text(a.format.Flush()) }

// AddNotice adds a notice of a kind, such as "Error".
func (a *Answer) AddNotice(kind, words string) []Block { return text(a.format.AddNotice(kind, words)) }

// Ask adds the permission line of a question about a call. Without a call it is one of
// several questions, whose line no other replaces.
func (a *Answer) Ask(callID, task string) []Block {
	blocks := a.Flush()
	return append(blocks, Block{Text: a.format.Allow(task), Call: callID, Line: grammar.Allow(task)})
}

// Ruled returns the line of a call whose question has been answered, as in "allowed
// once".
func (a *Answer) Ruled(callID, task, answer string) (line string) {
	if a.rulings == nil {
		a.rulings = map[string]string{}
	}
	a.rulings[callID] = answer
	title := a.titles[callID]
	if title == "" {
		title = task
	}
	return grammar.CallLine(title, answer)
}

func text(s string) []Block {
	if s == "" {
		return nil
	}
	return []Block{{Text: s}}
}

// addCall adds the line of a call, after what is left of the text before.
func (a *Answer) addCall(callID, title, outcome string) []Block {
	blocks := a.Flush()
	return append(blocks, Block{Text: a.format.AddCall(title, outcome), Call: callID, Line: grammar.CallLine(title, outcome)})
}

func (a *Answer) name(callID, title string) {
	if a.titles == nil {
		a.titles = map[string]string{}
	}
	if title != "" {
		a.titles[callID] = title
	}
}

// outcome describes the end of a call.
func (a *Answer) outcome(e transcript.ToolUpdate) string {
	var words []string
	if ruling := a.rulings[e.CallID]; ruling != "" {
		words = append(words, ruling)
	}
	switch {
	case e.State == transcript.Cancelled && e.ErrorType != tools.Cancelled && e.Summary != "": // the user has refused it
		words = append(words, e.Summary)
	case e.State == transcript.Cancelled && e.ErrorType != tools.Cancelled && len(words) > 0: // likewise
	case e.State == transcript.Cancelled:
		words = append(words, "cancelled")
	case e.ExitCode != nil:
		words = append(words, fmt.Sprintf("exit status %d", *e.ExitCode))
	case e.State == transcript.Failure && e.ErrorType == tools.PolicyViolation && e.Summary != "": // so earlier versions recorded it
		words = append(words, e.Summary)
	case e.State == transcript.Failure && e.Summary == "" && len(words) > 0: // a rule or the user has refused it
	case e.State == transcript.Failure && e.Summary == "":
		words = append(words, "failed")
	case e.State == transcript.Failure:
		words = append(words, "failed: "+e.Summary)
	case e.Summary != "":
		words = append(words, e.Summary)
	}
	return strings.Join(words, ", ")
}

func (a *Answer) notice(e transcript.Notice) []Block {
	kind := "Warning"
	switch e.Severity {
	case transcript.Info:
		return nil
	case transcript.Error:
		kind = "Error"
	case transcript.Warning:
	}
	if e.Code == transcript.NoticeRetry { // the progress shows it
		return nil
	}
	words := e.Title
	if e.Description != "" {
		words += ": " + e.Description
	}
	return text(a.format.AddNotice(kind, words))
}

// Question returns a prompt as the text of a question.
func Question(blocks []transcript.Block) string {
	var parts []string
	for _, b := range blocks {
		if words := strings.TrimSpace(blockText(b)); words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, "\n\n")
}

// blockText returns a piece of a prompt as text.
func blockText(b transcript.Block) string {
	switch b.Type {
	case transcript.TextBlock:
		return b.Text
	case transcript.ImageBlock, transcript.AudioBlock, transcript.LinkBlock, transcript.ResourceBlock:
	default:
		panic("render: unknown block type " + b.Type)
	}
	if b.Mention != nil && b.Mention.Label != "" {
		return ""
	}
	name := cmp.Or(b.Name, b.URI)
	if b.Lines.Any() {
		first := max(b.Lines.First, 1)
		name += fmt.Sprintf(":%d", first)
		if first < b.Lines.Last {
			name += fmt.Sprintf("-%d", b.Lines.Last)
		}
	}
	name = "`" + strings.ReplaceAll(visible.Line(name), "`", "'") + "`"
	if b.Type == transcript.LinkBlock {
		return name
	}
	return fmt.Sprintf("[%s %s]", b.Type, name)
}

// Turn is a question and its answer.
type Turn struct {
	ID       string // of the turn; prompts that steer it have the same
	Message  string // the ID of the question
	Question string
	Blocks   []Block
}

// Turns returns the questions and answers in a session's updates.
func Turns(updates []transcript.Update) []Turn {
	retracted := map[string]bool{}
	for _, u := range updates {
		if r, ok := u.Event.(transcript.Retract); ok {
			retracted[r.MessageID] = true
		}
	}
	var l []Turn
	var prompt []transcript.Block
	var answer *Answer
	message := ""
	end := func() {
		if answer != nil {
			l[len(l)-1].Blocks = append(l[len(l)-1].Blocks, answer.Flush()...)
		}
	}
	for _, u := range updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // the others belong to an answer
		case transcript.UserChunk:
			if e.MessageID != message {
				end()
				l, prompt, answer, message = append(l, Turn{ID: u.TurnID, Message: e.MessageID}), nil, &Answer{}, e.MessageID
			}
			prompt = append(prompt, e.Block)
			l[len(l)-1].Question = Question(prompt)
			continue
		case transcript.Retract:
			continue
		case transcript.Text:
			if retracted[e.MessageID] {
				continue
			}
		}
		if answer != nil {
			t := &l[len(l)-1]
			t.Blocks = append(t.Blocks, answer.Add(u.Event)...)
		}
	}
	end()
	return l
}
