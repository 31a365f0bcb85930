package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
)

// The looks of notices: how much they matter.
const (
	LookInfo    = "info"
	LookWarning = "warning"
	LookError   = "error"
)

// Message returns what emendo says of no session, as a notice of the window: its first line as
// the title, the rest as text.
func Message(id, look, text string, at time.Time) Item {
	i := Item{ID: id, Kind: KindNotice, Look: look, At: clock(at), Actions: byID(Dismiss), Parts: []Part{}}
	title, rest := headed(text)
	i.Title = say("notice", "title", title)
	if rest != "" {
		i.Parts = append(i.Parts, Part{Kind: Plain, Text: rest})
	}
	return i
}

// headed returns the first line of a text, and what follows it.
func headed(text string) (title, rest string) {
	title, rest, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return title, plain(strings.TrimSpace(rest))
}

// Choose returns a question with buttons: a text, and the titles of its options. The first
// option decides nothing.
func Choose(id, text string, titles []string) Question {
	title, rest := headed(text)
	q := Question{ID: id, Code: "pick", Title: say("notice", "title", title), Parts: []Part{}, Lines: []Line{}, Options: []Action{}}
	q.Brief = short(say("notice", "title", visible.ShortLine(title, shownBrief)), "")
	if rest != "" {
		q.Parts = append(q.Parts, Part{Kind: Plain, Text: rest})
	}
	for n, t := range titles {
		a := Action{ID: fmt.Sprintf("option-%d", n+1), Title: Text{Text: visible.Line(t)}, Look: "pick"}
		if n == 0 {
			a.Look = Cancel
		}
		q.Options = append(q.Options, a)
	}
	return q
}

// Obstacle is something that stands in the way of using emendo.
type Obstacle string

// What can stand in the way.
const (
	Broken     Obstacle = "broken"     // the agent could not be made
	SignedOut  Obstacle = "signed_out" // no model takes requests
	NoFolder   Obstacle = "no_folder"
	Untrusted  Obstacle = "restricted" // a folder starts nothing
	obstacleID          = "obstacle/"
)

// Obstacles are all of them, in the order of the screen.
var Obstacles = []Obstacle{Broken, SignedOut, NoFolder, Untrusted}

// ID is the ID of the notice about an obstacle.
func (o Obstacle) ID() string { return obstacleID + string(o) }

// Notice returns the notice about an obstacle, with what helps. about is the folder, or for
// Broken the reason.
func (o Obstacle) Notice(about string) Item {
	i := Item{ID: o.ID(), Kind: KindNotice, Look: LookInfo, Title: say("obstacle."+string(o), "about", about)}
	if o != Broken {
		i.Parts = []Part{{Kind: Plain, Text: say("obstacle."+string(o)+"_text", "about", about).Text}}
	}
	switch o {
	case Broken:
		i.Look = LookError
		i.Actions = []Action{Door(ClientLog), Door(ClientDoctor)}
	case SignedOut:
		i.Actions = []Action{Door(ClientSignIn), Door(ClientModel)}
	case Untrusted:
		i.Look = LookWarning
		i.Actions = []Action{Door(ClientTrust)}
	case NoFolder:
	}
	return i
}

// Trust returns the question whether a folder is trusted, with what it would start and
// configure.
func Trust(id, folder, text string, starts bool) Question {
	q := Question{ID: id, Code: "trust", Title: say("ask.trust"), Brief: say("ask.about", "title", say("ask.trust").Text, "about", folder), Parts: []Part{}}
	q.Lines = []Line{{ID: "folder", Label: new(say("label.folder")), Text: say("place", "path", folder)}}
	if strings.TrimSpace(text) != "" {
		q.Parts = append(q.Parts, Part{Kind: Plain, Label: new(say("label.configures")), Text: plain(strings.TrimSpace(text))})
	}
	if starts {
		q.Lines = append(q.Lines, Line{ID: "starts", Look: warning, Text: say("ask.trust_starts")})
		q.Options = []Action{
			{ID: TrustAll, Title: say("option.trust_all"), Detail: new(say("option.trust_all_detail")), Look: "allow_always"},
			{ID: TrustAsking, Title: say("option.trust_asking"), Detail: new(say("option.trust_asking_detail")), Look: "allow_always"},
		}
	} else {
		q.Options = []Action{{ID: TrustAsking, Title: say("option.trust"), Look: "allow_always"}}
	}
	q.Options = append(q.Options, Action{ID: Cancel, Title: say("option.trust_not"), Look: "reject_once"})
	return q
}

// The answers to [Trust], beside [Cancel].
const (
	TrustAll    = "trust_all" // and approve what it would start
	TrustAsking = "trust"     // each start is asked about
)
