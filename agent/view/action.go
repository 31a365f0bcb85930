package view

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/view/phrase"
)

// Action is what the user can do. One without a title is that of [View.Verbs] with its ID.
type Action struct {
	ID     string  `json:"id"`
	Title  Text    `json:"title"`
	Detail *Text   `json:"detail,omitempty"`
	Look   string  `json:"look,omitempty"`
	Danger bool    `json:"danger,omitempty"`
	Fields []Field `json:"fields,omitempty"`
	// Steps are what only the client can do. An action that has them is not sent to emendo.
	Steps []Step `json:"steps,omitempty"`
}

// MarshalJSON returns an action, or the ID alone of one of the verbs.
func (a Action) MarshalJSON() ([]byte, error) {
	if a.Title.Text == "" {
		return json.Marshal(a.ID)
	}
	type plain Action
	return json.Marshal(plain(a))
}

// UnmarshalJSON reads an action.
func (a *Action) UnmarshalJSON(b []byte) error {
	*a = Action{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &a.ID)
	}
	type plain Action
	return json.Unmarshal(b, (*plain)(a))
}

// Step is what only the client can do. One of its members is set.
type Step struct {
	Open    *Place          `json:"open,omitempty"`
	Diff    []Compared      `json:"diff,omitempty"`
	Edit    *string         `json:"edit,omitempty"`    // what is saved goes by the same action
	Copy    string          `json:"copy,omitempty"`    // for the clipboard
	Compose *string         `json:"compose,omitempty"` // for the input
	Blocks  json.RawMessage `json:"blocks,omitempty"`  // beside Edit and Compose, as of a prompt
	Place   *Place          `json:"place,omitempty"`   // beside Edit: where the text belongs
	Show    string          `json:"show,omitempty"`    // a session
	// Terminal is a command in the background, to be followed in a terminal.
	Terminal *InTerminal `json:"terminal,omitempty"`
	Client   string      `json:"client,omitempty"` // signIn, trust, model, mode, context, log or doctor
}

// InTerminal is a command in the background.
type InTerminal struct {
	SessionID string `json:"sessionId"`
	PID       int    `json:"pid"`
	Title     Text   `json:"title"`
}

// Compared are two texts of a file, for a diff editor.
type Compared struct {
	Place Place  `json:"place"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// The actions that items name by their IDs alone.
const (
	Stop = "stop" // ends a turn or a call
	Copy = "copy" // a turn, as Markdown
)

// verbs are the IDs of [Verbs], in their order.
var verbs = []string{Stop, Copy, Edit, Up, Down, Front, Steer, Interrupt, Remove, Resume, Compact, EditCopy, GoBack, Redo, Fork, Again, Fresh, Dismiss, Accept, Reject, RejectWhy, Keep, Undo, Differ}

// Verbs are the actions that items name by their IDs alone.
func Verbs() []Action {
	l := make([]Action, len(verbs))
	for i, id := range verbs {
		if id == RejectWhy {
			l[i] = Action{ID: id, Title: say("do.reject_why"), Look: "reject_why", Fields: reasonField("field.reason")}
			continue
		}
		l[i] = Action{ID: id, Title: doing(id), Look: id}
		if detail := "do." + id + "_detail"; phrase.English(detail) != "" {
			l[i].Detail = new(say(detail))
		}
	}
	return l
}

// doing names what an action does, also where it stands beside what it is about.
func doing(id string) Text {
	t, brief := say("do."+id), "do."+id+"_short"
	if phrase.English(brief) != "" {
		t.Short = say(brief).Text
	}
	return t
}

// Verb returns an action of [Verbs] as an item names it.
func Verb(id string) Action { return Action{ID: id} }

// byID returns actions of [Verbs] as an item names them.
func byID(ids ...string) []Action {
	l := make([]Action, len(ids))
	for i, id := range ids {
		l[i] = Verb(id)
	}
	return l
}
