package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Listed is a rule as its user reads it.
type Listed struct {
	ID        string    `json:"id"`   // the same as long as the rule is
	Text      string    `json:"text"` // what it does, one line
	Tier      string    `json:"tier"` // "admin", "user", "project", "session" or "builtin"
	Scope     Scope     `json:"scope"`
	Source    string    `json:"source"`         // OfAnswer, "FILE:LINE" with an absolute path, the name of a setting, or OfProgram
	Added     time.Time `json:"added,omitzero"` // zero if it is not known
	Removable bool      `json:"removable"`
}

// Sources of rules that are in no file of the user's.
const (
	OfAnswer  = "answer"  // it was made by an answer to a question
	OfProgram = "builtin" // it is one of emendo's own
)

// Rules returns the rules of the engine for its user, the strongest tier first; answers
// come last. They are in the order in which the rules of a tier decide.
func (e *Engine) Rules() []Listed {
	names := map[Tier]string{OfAdmin: "admin", OfUser: "user", OfProject: "project", OfEmendo: "builtin"}
	var l []Listed
	for _, t := range []Tier{OfAdmin, OfUser, OfProject, OfEmendo} {
		for _, r := range e.tiers[t] {
			listed := Listed{ID: r.id(r.File), Text: r.describe(), Tier: names[t], Scope: Everywhere, Source: r.source(), Added: r.Added}
			if t == OfProject {
				listed.Scope = Project
			}
			l = append(l, listed)
		}
	}
	for _, r := range e.answer {
		l = append(l, r.listedAnswer())
	}
	seen := map[string]int{}
	for i := range l { // somebody may have written a rule twice
		if seen[l[i].ID]++; seen[l[i].ID] > 1 {
			l[i].ID = fmt.Sprintf("%s-%d", l[i].ID, seen[l[i].ID])
		}
	}
	return l
}

// listedAnswer returns a stored answer for its user.
func (r *Rule) listedAnswer() Listed {
	l := Listed{ID: r.id(filepath.Base(r.File)), Text: r.describe(), Tier: "user", Scope: Project, Source: OfAnswer, Added: r.Added, Removable: true}
	if filepath.Base(r.File) == SavedFile {
		l.Scope = Everywhere
	}
	return l
}

// InSession returns an answer that holds in one session, for its user.
func (r *Rule) InSession(sessionID string) Listed {
	return Listed{ID: r.id(sessionID), Text: r.describe(), Tier: "session", Scope: Session, Source: OfAnswer, Added: r.Added, Removable: true}
}

// Text says what a line may reach beyond the sandbox, for its user.
func (l Line) Text(opens tools.Access) string {
	return visible.Line(fmt.Sprintf("allow %s, with access to: %s", l.shown(), opens))
}

// Listed returns a grant for its user.
func (g Grant) Listed() Listed {
	return Listed{
		ID: idOf("grant", g.Project, g.Line, g.Hosts, g.Write, g.Read), Text: g.Text(g.Access()),
		Tier: "user", Scope: Project, Source: OfAnswer, Added: g.Added, Removable: true,
	}
}

// id identifies a rule in a place. It depends on what the rule does, and not on its line.
func (r *Rule) id(place string) string {
	return idOf(place, r.Tier, r.Name, r.Tools, r.Server, r.Subagent, words(r.Annotations), expression(r.Args), r.Prefixes, expression(r.Command), r.Modes, r.Interactive != nil && *r.Interactive, r.Interactive == nil,
		int(r.Decision), r.Priority, r.Redirects, r.Message, r.Effects, r.Sandbox, r.Outside, r.Dir, r.Whole, r.Ends, r.Except, r.Unless, r.Definition, r.Marked)
}

// idOf returns an ID that depends on values alone.
func idOf(of ...any) string { return IDOf(fmt.Sprintf("%q", of)) }

// IDOf returns an ID for what an answer made that is no rule. It is the same for the same
// text.
func IDOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// source returns where a rule is that no answer made.
func (r *Rule) source() string {
	switch {
	case r.Tier == OfEmendo:
		return OfProgram
	case r.File == "":
		return r.Name
	}
	file, err := filepath.Abs(r.File)
	if err != nil { // the working directory is gone
		file = r.File
	}
	return fmt.Sprintf("%s:%d", file, r.Line)
}

// describe describes what a rule does, in one line.
func (r *Rule) describe() string {
	var b strings.Builder
	if r.Name != "" && !r.Answer {
		fmt.Fprintf(&b, "%s: ", r.Name)
	}
	b.WriteString(map[Kind]string{Allow: "allow ", Ask: "ask about ", Deny: "deny "}[r.Decision])
	b.WriteString(r.subject())
	if r.Dir != "" {
		fmt.Fprintf(&b, " in %s", r.Dir)
	}
	if r.Redirects && r.aboutCommands() {
		b.WriteString(", also with redirections to files")
	}
	if l := r.limits(); l != "" {
		fmt.Fprintf(&b, " (%s)", l)
	}
	return visible.Line(b.String())
}

// subject describes the calls that a rule is about.
func (r *Rule) subject() string {
	each := func(l [][]string) string {
		out := make([]string, len(l))
		for i, p := range l {
			out[i] = "`" + quoted(p) + "`"
		}
		return strings.Join(out, " or ")
	}
	switch {
	case r.Whole != (Line{}):
		return r.Whole.shown()
	case len(r.Prefixes) > 0 && r.Ends:
		return "exactly " + each(r.Prefixes)
	case len(r.Prefixes) > 0:
		return "commands that begin with " + each(r.Prefixes)
	case r.Command != nil:
		return "commands that match `" + r.Command.String() + "`"
	case len(r.Unless) > 0:
		return "commands that do not begin with " + each(r.Unless)
	}
	what := "calls of " + strings.Join(r.Tools, ", ")
	all := len(r.Tools) == 0 || slices.Contains(r.Tools, "*")
	switch {
	case len(r.Except) > 0:
		what = "calls of all tools but " + strings.Join(r.Except, ", ")
	case r.Server != "" && all:
		what = "calls of all tools of the server " + r.Server
	case r.Server != "":
		what += " of the server " + r.Server
	case len(r.Effects) > 0 && all:
		what = "what " + strings.Join(r.Effects, ", ")
	case all:
		what = "calls of all tools"
	}
	if r.Args != nil {
		what += " whose arguments match `" + r.Args.String() + "`"
	}
	return what
}

// limits describes where a rule applies, if not everywhere.
func (r *Rule) limits() string {
	var l []string
	if n := len(r.Modes); n > 0 && n < 4 {
		modes := make([]string, n)
		for i, m := range r.Modes {
			modes[i] = string(m)
		}
		l = append(l, "in the modes "+strings.Join(modes, ", "))
	}
	if r.Sandbox {
		l = append(l, "in a sandbox")
	}
	if r.Outside {
		l = append(l, "outside the sandbox, where they need that")
	}
	if r.Interactive != nil && *r.Interactive {
		l = append(l, "while a user can be asked")
	} else if r.Interactive != nil {
		l = append(l, "while no user can be asked")
	}
	if r.Subagent != "" {
		l = append(l, "by the agent "+r.Subagent)
	}
	if r.Marked {
		l = append(l, "of servers that you trust")
	}
	if len(r.Annotations) > 0 {
		l = append(l, fmt.Sprintf("with the annotations %v", words(r.Annotations)))
	}
	return strings.Join(l, ", ")
}
