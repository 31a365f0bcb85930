package view

import (
	"time"

	"github.com/emendo-dev/emendo/agent/view/phrase"
)

// Text is a text for the user.
type Text = phrase.Text

// say returns the phrase with a code: see [phrase.Say].
func say(code string, args ...any) Text { return phrase.Say(code, args...) }

// or returns a text, or nil if it is empty.
func or(t Text) *Text {
	if t.Text == "" {
		return nil
	}
	return &t
}

// View is a conversation, or the window, as a client draws it.
type View struct {
	SessionID string     `json:"sessionId,omitempty"` // empty: the window's
	Version   int64      `json:"version"`
	Session   any        `json:"session,omitempty"` // its description, as front ends have it
	Status    *Item      `json:"status,omitempty"`
	Items     []Item     `json:"items"`             // parents before their children, in the order of the screen
	Earlier   bool       `json:"earlier,omitempty"` // there are more before the first
	Questions []Question `json:"questions"`
	Hunks     []HunkView `json:"hunks"`
	Verbs     []Action   `json:"verbs"` // what items name by its ID alone
}

// Kind says what an item is.
type Kind string

// The kinds of items.
const (
	KindTurn    Kind = "turn"
	KindUser    Kind = "user"
	KindAnswer  Kind = "answer"
	KindThought Kind = "thought"
	KindCall    Kind = "call"
	KindPlan    Kind = "plan"
	KindNotice  Kind = "notice"
	KindQueued  Kind = "queued"
	KindStatus  Kind = "status"

	// Of the window's view alone.
	KindFile    Kind = "file"
	KindTask    Kind = "task"
	KindWelcome Kind = "welcome"
)

// State of an item.
type State string

// The states of items.
const (
	Waiting     State = "waiting"
	Asks        State = "asks"
	Running     State = "running"
	Done        State = "done"
	Failed      State = "failed"
	Denied      State = "denied"
	Rejected    State = "rejected"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// Item is one thing that a conversation shows.
type Item struct {
	ID     string `json:"id"` // is of this item alone, in this session and its copies, for ever
	Parent string `json:"parent,omitempty"`
	Kind   Kind   `json:"kind"`
	State  State  `json:"state,omitempty"`
	Look   string `json:"look,omitempty"` // selects a sign: of a call its kind, of a notice its severity
	Title  Text   `json:"title"`
	Note   *Text  `json:"note,omitempty"` // at the end of the title's line
	Lines  []Line `json:"lines,omitempty"`
	Parts  []Part `json:"parts,omitempty"`
	Place  *Place `json:"place,omitempty"`
	At     string `json:"at,omitempty"`    // when it began, RFC 3339
	Until  string `json:"until,omitempty"` // when its wait ends, RFC 3339
	// Actions are its own, or those of [View.Verbs]: see [Verb].
	Actions []Action `json:"actions,omitempty"`
}

// PartKind is the form of a part.
type PartKind string

// The kinds of parts.
const (
	Markdown PartKind = "markdown"
	Plain    PartKind = "text"
	Output   PartKind = "output"
	Code     PartKind = "code"
	Diff     PartKind = "diff"
	Image    PartKind = "image"
)

// Part is a piece of the content of an item or a question. Lengths count units of the
// client's position encoding.
type Part struct {
	Kind     PartKind `json:"kind"`
	Label    *Text    `json:"label,omitempty"`
	Lang     string   `json:"lang,omitempty"`
	Place    *Place   `json:"place,omitempty"`
	Text     string   `json:"text,omitempty"`
	Rows     []Row    `json:"rows,omitempty"`
	MIMEType string   `json:"mimeType,omitempty"`
	Data     []byte   `json:"data,omitempty"`
	Size     int      `json:"size,omitempty"`    // of content that is not sent
	Omitted  int      `json:"omitted,omitempty"` // of an output its beginning, of others the end
	Stored   *Stored  `json:"-"`                 // the text, where only the record has it
	Source   string   `json:"-"`                 // of lines with a comment: both as a chat document has them
}

// Line is a fact about an item, or a member of it.
type Line struct {
	ID    string   `json:"id,omitempty"`
	Label *Text    `json:"label,omitempty"`
	Text  Text     `json:"text"`
	Look  string   `json:"look,omitempty"`
	State State    `json:"state,omitempty"`
	Share *float64 `json:"share,omitempty"` // from 0 to 1
	Place *Place   `json:"place,omitempty"`
	// Action is what the line does, of its own or of [View.Verbs].
	Action *Action `json:"action,omitempty"`
}

// Place is a file, or a range in it.
type Place struct {
	URI    string `json:"uri"`
	NewURI string `json:"newUri,omitempty"`
	Range  *Range `json:"range,omitempty"`
}

// Range is a range of LSP.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a position of LSP.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Question waits for the user's answer.
type Question struct {
	ID        string   `json:"id"`
	SessionID string   `json:"sessionId,omitempty"`
	ItemID    string   `json:"itemId,omitempty"`
	Code      string   `json:"code"`
	From      *Text    `json:"from,omitempty"` // what it is for that is no conversation
	Title     Text     `json:"title"`
	Brief     Text     `json:"brief"`           // one line
	Whole     bool     `json:"whole,omitempty"` // the brief says everything
	Parts     []Part   `json:"parts"`
	Lines     []Line   `json:"lines"`
	Fields    []Field  `json:"fields,omitempty"`
	Options   []Action `json:"options"`
}

// Field is one input of a question or an action.
type Field struct {
	ID       string   `json:"id"`
	Label    Text     `json:"label"`
	Hint     *Text    `json:"hint,omitempty"`
	Type     string   `json:"type"` // text, line, choice, number or url
	Choices  []Choice `json:"choices,omitempty"`
	Many     bool     `json:"many,omitempty"`
	Other    bool     `json:"other,omitempty"` // takes a text that is not among the choices
	Required bool     `json:"required,omitempty"`
	Values   []string `json:"values,omitempty"`
}

// Choice is one of the values of a field.
type Choice struct {
	Value  string `json:"value"`
	Title  Text   `json:"title"`
	Detail *Text  `json:"detail,omitempty"`
}

// clock formats a time; empty for the zero time.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
