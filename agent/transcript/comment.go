package transcript

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Comment is what the user says about lines of a file.
type Comment struct {
	ID     string    `json:"id"`
	URI    string    `json:"uri"`
	Path   string    `json:"path,omitempty"` // absolute, links resolved; empty for a document that is not a file
	Name   string    `json:"name"`           // the file as the user reads it
	Range  ide.Range `json:"range"`          // whole lines
	Quoted string    `json:"quoted"`         // the lines
	Text   string    `json:"text"`
	HunkID string    `json:"hunkId,omitempty"` // that it is about
	Line   *int      `json:"line,omitempty"`   // of the hunk's new text, from zero; nil: all of it
	Stale  bool      `json:"stale,omitempty"`  // the lines are gone
	Round  int       `json:"round,omitempty"`  // in which it was sent; zero: it waits
	Source string    `json:"source,omitempty"` // as it stands in the chat document that it was sent from
}

// Lines returns the first and the last line, from one.
func (c Comment) Lines() (first, last int) {
	first, last = int(c.Range.Start.Line)+1, int(c.Range.End.Line)+1
	if c.Range.End.Character == 0 && last > first {
		last--
	}
	return first, last
}

// Place names the file and the lines, such as a.go:3-9. With base it is the file's name alone.
func (c Comment) Place(base bool) string {
	name := c.Name
	if base {
		name = path.Base(name)
	}
	first, last := c.Lines()
	if first == last {
		return fmt.Sprintf("%s:%d", name, first)
	}
	return fmt.Sprintf("%s:%d-%d", name, first, last)
}

// mostQuoted is how many lines of a comment's place are quoted.
const mostQuoted = 60

// QuotedLines returns the lines as they are quoted: without the space at their ends, and of many
// the first ones, and then how many there are more.
func (c Comment) QuotedLines() []string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(c.Quoted, "\r\n", "\n"), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	if n := len(lines) - mostQuoted; n > 0 {
		lines = append(lines[:mostQuoted], fmt.Sprintf("… (%d more lines)", n))
	}
	return lines
}

// quotation returns the lines, each after a mark.
func (c Comment) quotation() string {
	var b strings.Builder
	for _, l := range c.QuotedLines() {
		b.WriteString(strings.TrimRight("> "+l, " ") + "\n")
	}
	return b.String()
}

// Markdown returns the comment as a chat document has it.
func (c Comment) Markdown() string {
	if c.Source != "" {
		return c.Source
	}
	return fmt.Sprintf("> [%s](%s)\n%s\n%s", visible.Line(c.Place(false)), c.URI, c.quotation(), c.Text)
}

// request returns the comment as the model reads it.
func (c Comment) request() string {
	first, last := c.Lines()
	place := fmt.Sprintf("line %d", first)
	if first != last {
		place = fmt.Sprintf("lines %d to %d", first, last)
	}
	if c.Stale {
		place += ", where these lines were; they are gone"
	}
	return fmt.Sprintf("A comment of the user on %s, %s:\n%s\n%s", c.Name, place, c.quotation(), c.Text)
}

// Block returns the comment as a part of a prompt.
func (c Comment) Block() Block { return Block{Type: TextBlock, Text: c.Text, Comment: &c} }

// Commented is a comment that the user added or changed.
type Commented struct {
	Comment
}

func (Commented) isEvent() {}

// Uncommented removes a comment.
type Uncommented struct {
	ID string `json:"id"`
}

func (Uncommented) isEvent() {}

// Comments are those of a session: the ones that wait, as they were added, and those that were
// sent, as they were sent.
type Comments struct {
	added []Comment
	sent  []sentComment
}

type sentComment struct {
	Comment
	message string
}

// Fold applies an event of a session that is in a round now.
func (l *Comments) Fold(e Event, round int) {
	switch e := e.(type) { //nolint:gochecksumtype // the others are not about comments
	case Commented:
		if i := slices.IndexFunc(l.added, func(c Comment) bool { return c.ID == e.ID }); i >= 0 {
			l.added[i] = e.Comment
			return
		}
		l.added = append(l.added, e.Comment)
	case Uncommented:
		l.added = slices.DeleteFunc(l.added, func(c Comment) bool { return c.ID == e.ID })
	case UserChunk:
		if c := e.Block.Comment; c != nil && !l.wasSent(c.ID) {
			s := sentComment{*c, e.MessageID}
			s.Round = max(round-1, 1)
			l.sent = append(l.sent, s)
		}
	case Withdrawn:
		l.sent = slices.DeleteFunc(l.sent, func(c sentComment) bool { return c.message == e.MessageID })
	}
}

func (l *Comments) wasSent(id string) bool {
	return slices.ContainsFunc(l.sent, func(c sentComment) bool { return c.ID == id })
}

// Waiting returns those that were not sent.
func (l *Comments) Waiting() (waiting []Comment) {
	for _, c := range l.added {
		if !l.wasSent(c.ID) {
			waiting = append(waiting, c)
		}
	}
	return waiting
}

// AllSent returns those that were sent.
func (l *Comments) AllSent() []Comment {
	out := make([]Comment, len(l.sent))
	for i, c := range l.sent {
		out[i] = c.Comment
	}
	return out
}

// rounds counts the prompts with comments.
type rounds struct {
	answered int
	message  string // the last of them
}

// Round returns the round that a session is in: one more than it has answered comments.
func (r rounds) Round() int { return r.answered + 1 }

// CountRound notes an event that may be a prompt with comments.
func (r *rounds) CountRound(e Event) {
	switch e := e.(type) { //nolint:gochecksumtype // the others begin no round
	case UserChunk:
		if e.Block.Comment != nil && e.MessageID != r.message {
			r.answered, r.message = r.answered+1, e.MessageID
		}
	case Withdrawn:
		if e.MessageID == r.message {
			r.answered, r.message = r.answered-1, ""
		}
	}
}
