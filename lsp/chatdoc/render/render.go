// Package render turns the items of a session into the questions and answers of a chat
// document, while they come or afterwards. It knows nothing of where they are written.
package render

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// Block is a part of an answer that is written at once.
type Block struct {
	Text string // for the end of the answer's section
	Call string // the call whose line this is; empty: it is not the line of a call
	Line string // that line, without line end
}

// Answer formats what comes of a prompt. The zero value is an answer without content.
type Answer struct {
	format grammar.Answer
	warned bool // a notice was added
	known
}

// known is what the answers of a turn know of its items.
type known struct {
	text    string            // the item whose text came last
	begun   bool              // some of that is written
	taken   map[string]int    // of the texts of items, how many bytes were formatted
	said    map[string]bool   // the calls, notices and turns that have their line
	titles  map[string]string // of calls
	rulings map[string]string // what the user answered about calls
}

// prepare makes what the zero value lacks.
func (a *Answer) prepare() {
	if a.said == nil {
		a.taken, a.said, a.titles, a.rulings = map[string]int{}, map[string]bool{}, map[string]string{}, map[string]string{}
	}
}

// Next returns the answer to the next prompt, without content. Items that were written are not
// written again.
func (a *Answer) Next() Answer {
	a.prepare()
	return Answer{known: a.known}
}

// Add returns the blocks that a change of the items completes. i is the item that changed; nil
// if some were dropped.
func (a *Answer) Add(c view.Change, i *view.Item) []Block {
	a.prepare()
	if i == nil {
		return a.drop(c.Drop)
	}
	switch i.Kind { //nolint:exhaustive // the others are not part of an answer
	case view.KindAnswer:
		return a.addText(*i)
	case view.KindCall:
		return a.addCall(*i)
	case view.KindNotice:
		return a.addNotice(*i)
	case view.KindTurn:
		return a.addEnd(*i)
	}
	return nil
}

// first reports whether it is asked about an ID for the first time.
func (a *Answer) first(id string) bool {
	is := !a.said[id]
	a.said[id] = true
	return is
}

// addText adds what has come of a text of the model.
func (a *Answer) addText(i view.Item) (blocks []Block) {
	if i.ID != a.text {
		blocks = a.Flush()
		a.text, a.begun = i.ID, false
	}
	all := i.Parts[0].Text
	for _, whole := range a.format.Text(all[a.taken[i.ID]:]) {
		blocks = append(blocks, Block{Text: whole})
	}
	a.taken[i.ID] = len(all)
	if i.HasEnded() {
		blocks = append(blocks, a.Flush()...)
	}
	a.begun = a.begun || len(blocks) > 0
	return blocks
}

// drop forgets texts whose stream broke. What is written stays.
func (a *Answer) drop(ids []string) []Block {
	if !slices.Contains(ids, a.text) {
		return nil
	}
	a.format.Flush() // the rest of a block that is not written
	if !a.begun {
		return nil
	}
	return a.AddNotice("Note", phrase.Say("answer.restarted").Text)
}

// addCall adds the line of a call that has ended, after what is left of the text before.
func (a *Answer) addCall(i view.Item) []Block {
	a.titles[i.ID] = i.Title.Text
	if !i.HasEnded() || !a.first(i.ID) {
		return nil
	}
	words := slices.DeleteFunc(slices.Compact([]string{a.rulings[i.ID], i.Outcome()}), func(s string) bool { return s == "" })
	outcome := strings.Join(words, ", ")
	blocks := a.Flush()
	return append(blocks, Block{Text: a.format.AddCall(i.Title.Text, outcome), Call: i.ID, Line: grammar.CallLine(i.Title.Text, outcome)})
}

// addEnd adds why a turn ended early, unless a notice says so.
func (a *Answer) addEnd(i view.Item) []Block {
	silent := i.Title.Code == "turn.no_answer" && !a.warned
	if (i.State == view.Cancelled || silent) && a.first(i.ID) {
		return a.AddNotice("Note", i.Title.Text)
	}
	return nil
}

// addNotice adds a warning or an error. The progress shows repeated requests.
func (a *Answer) addNotice(i view.Item) []Block {
	if i.Look == view.LookInfo || i.Title.Code == "notice."+string(transcript.NoticeRetry) || !a.first(i.ID) {
		return nil
	}
	a.warned = true
	kind := "Warning"
	if i.Look == view.LookError {
		kind = "Error"
	}
	return a.AddNotice(kind, i.Sentence())
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
	a.prepare()
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

// Question returns a prompt as the text of a question: what the user typed, and what they
// added unless the text names it.
func Question(i view.Item) string {
	var parts []string
	typed := ""
	for _, p := range i.Parts {
		if p.Source != "" {
			parts = append(parts, p.Source)
		}
		if words := strings.TrimSpace(p.Text); p.Kind == view.Plain && words != "" {
			parts = append(parts, words)
			typed += words
		}
	}
	for _, l := range i.Lines {
		if !strings.Contains(typed, l.Text.Text) {
			parts = append(parts, code(l.Text.Text))
		}
	}
	for _, p := range i.Parts {
		if p.Kind == view.Image && (p.Label == nil || !strings.Contains(typed, p.Label.Text)) {
			parts = append(parts, code(view.Picture(p).Text))
		}
	}
	return strings.Join(parts, "\n\n")
}

func code(name string) string {
	return "`" + strings.ReplaceAll(visible.Line(name), "`", "'") + "`"
}

// QuestionOf returns a prompt that is not an item yet as the text of a question.
func QuestionOf(prompt []transcript.Block, near view.Folders) string {
	const id = "prompt"
	c := view.NewConversation(view.Options{Folders: near})
	for _, b := range prompt {
		c.Add(transcript.Update{Event: transcript.UserChunk{MessageID: id, Block: b}})
	}
	i, _ := c.Item(id)
	return Question(i)
}

// Turn is a question and its answer.
type Turn struct {
	ID       string // of the turn; prompts that steer it have the same
	Message  string // the ID of the question
	Question string
	Blocks   []Block
}

// Turns returns the questions and answers in a session's updates. They are folded one by one,
// since blocks stand in the order in which they were completed.
func Turns(updates []transcript.Update, near view.Folders) (l []Turn) {
	retracted := map[string]bool{}
	for _, u := range updates {
		if r, ok := u.Event.(transcript.Retract); ok {
			retracted[r.MessageID] = true
		}
	}
	c := view.NewConversation(view.Options{Folders: near})
	var answer Answer
	add := func(blocks []Block) {
		if len(l) > 0 {
			l[len(l)-1].Blocks = append(l[len(l)-1].Blocks, blocks...)
		}
	}
	for _, u := range updates {
		if t, ok := u.Event.(transcript.Text); ok && retracted[t.MessageID] {
			continue
		}
		c.Add(u)
		for _, change := range c.Changes() {
			i := Changed(c, change)
			if i == nil || i.Kind != view.KindUser {
				add(answer.Add(change, i))
				continue
			}
			if len(l) == 0 || l[len(l)-1].Message != i.ID {
				add(answer.Flush())
				l, answer = append(l, Turn{ID: i.Parent, Message: i.ID}), answer.Next()
			}
			l[len(l)-1].Question = Question(*i)
		}
	}
	add(answer.Flush())
	return l
}

// Changed returns the item that a change is about, as it is now; nil if it is about some that
// were dropped.
func Changed(c *view.Conversation, change view.Change) *view.Item {
	id := change.Append
	if change.Item != nil {
		id = change.Item.ID
	}
	if i, ok := c.Item(id); ok {
		return &i
	}
	return nil
}
