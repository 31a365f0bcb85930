// Package listing says what the lists of what sessions use show: of MCP servers, agents, skills,
// hooks and rules. It does not know where these come from.
package listing

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// The actions of entries of the lists of what sessions use.
const (
	Enable  = "enable"
	Disable = "disable"
	Restart = "restart"
	SignIn  = "sign_in"
	SignOut = "sign_out"
	Revoke  = "revoke"
	ShowIt  = "open_file" // has a step
)

// Limits of what a list shows of one entry, in characters.
const (
	shownAbout = 160
	shownTools = 200
)

// The states of MCP servers in lists.
const (
	ServerReady      = "ready"
	ServerStarting   = "starting"
	ServerFailed     = "failed"
	ServerGivenUp    = "given_up"
	ServerIdle       = "idle"
	ServerLogin      = "needs_login"
	ServerDisabled   = "disabled"
	ServerHidden     = "hidden"
	ServerRestricted = "restricted"
	ServerApproval   = "needs_approval"
	ServerChanged    = "changed"
)

// Server is an MCP server in a list.
type Server struct {
	Name  string
	File  string // where it is configured
	State string
	// Why it failed; by which file it is hidden; by which setting, or in which file it is disabled.
	Why      string
	Enabled  bool
	Lists    bool // the list of the user's settings decides whether it is enabled
	Tools    []string
	SignsIn  bool // the user can sign in to it
	SignedIn bool
}

// ServerEntry returns what a list says of an MCP server.
func ServerEntry(s Server) view.Entry {
	notes := serverNotes(s)
	e := view.Entry{Label: new(phrase.Say("entry", "name", s.Name)), Note: view.Notes(notes)}
	act := func(id, code string) {
		e.Actions = append(e.Actions, view.Action{ID: id, Title: phrase.Say(code), Look: id})
	}
	switch {
	case s.State == ServerRestricted:
		e.Actions = append(e.Actions, view.Door(view.ClientTrust))
	case s.State == ServerReady, s.State == ServerStarting, s.State == ServerFailed, s.State == ServerGivenUp:
		act(Restart, "server.restart")
	}
	if s.SignsIn && s.Enabled && s.State != ServerRestricted {
		if s.SignedIn {
			act(SignOut, "server.sign_out")
		} else {
			act(SignIn, "server.sign_in")
		}
	}
	if s.Lists {
		e.Actions = append(e.Actions, switching(s.Enabled))
	}
	e.Actions = append(e.Actions, opening(s.File, 0)...)
	return e
}

func serverNotes(s Server) (notes []view.Text) {
	why, disabled := "why", "server.disabled"
	switch {
	case s.State == ServerHidden:
		why = "file"
	case s.State == ServerDisabled && filepath.IsAbs(s.Why):
		why, disabled = "file", "server.disabled_there"
	case s.State == ServerDisabled && s.Why != "":
		why, disabled = "setting", "server.disabled_by"
	}
	code := "server." + s.State
	if s.State == ServerDisabled {
		code = disabled
	}
	var args []any
	if s.Why != "" {
		args = []any{why, visible.ShortLine(s.Why, 300)}
	}
	notes = append(notes, phrase.Say(code, args...))
	if s.State == ServerReady {
		if len(s.Tools) == 0 {
			notes = append(notes, phrase.Say("server.no_tools"))
		} else {
			notes = append(notes, phrase.Say("server.tools", "n", len(s.Tools), "names", visible.ShortLine(strings.Join(s.Tools, ", "), shownTools)))
		}
	}
	if s.SignedIn {
		notes = append(notes, phrase.Say("server.signed_in"))
	}
	return notes
}

// Optional is an agent, a skill or a hook in a list.
type Optional struct {
	Name, About, Source, File string
	Events                    []string
	Enabled                   bool
	Off                       string // the setting that keeps all from being used
	Restricted                bool   // the folder is not trusted, without which it is not used
}

// OptionalEntry returns what a list says of an agent, a skill or a hook.
func OptionalEntry(o Optional) view.Entry {
	var notes []view.Text
	note := func(code string, args ...any) { notes = append(notes, phrase.Say(code, args...)) }
	switch {
	case !o.Enabled:
		note("entry.disabled")
	case o.Off != "":
		note("entry.off", "setting", o.Off)
	case o.Restricted:
		note("entry.restricted")
	}
	if len(o.Events) > 0 {
		note("entry.at", "events", strings.Join(o.Events, ", "))
	}
	if o.About != "" {
		note("entry.about", "about", visible.ShortLine(o.About, shownAbout))
	}
	note("entry.from", "source", sourceName(o.Source).Text)
	e := view.Entry{Label: new(phrase.Say("entry", "name", visible.ShortLine(o.Name, shownAbout))), Note: view.Notes(notes), Actions: []view.Action{switching(o.Enabled)}}
	e.Actions = append(e.Actions, opening(o.File, 0)...)
	return e
}

// sourceName says where a definition comes from.
func sourceName(source string) view.Text {
	kind, name, _ := strings.Cut(source, " ")
	switch kind {
	case "built":
		return phrase.Say("entry.source_built")
	case "user":
		return phrase.Say("entry.source_user")
	case "project":
		return phrase.Say("entry.source_proj")
	case "system":
		return phrase.Say("entry.source_admin")
	}
	return phrase.Say("entry.source_ext", "name", name)
}

// ProblemEntry returns what a list says of what defines nothing.
func ProblemEntry(what string) view.Entry {
	return view.Entry{Label: new(phrase.Say("list.problem", "what", visible.ShortLine(what, 300)))}
}

// switching returns the action that enables what is disabled, or disables it.
func switching(enabled bool) view.Action {
	id := Enable
	if enabled {
		id = Disable
	}
	return view.Action{ID: id, Title: phrase.Say("entry." + id), Look: id}
}

// opening returns the action that opens a file at a line, counted from one; without a line for 0.
// It returns nothing for a source in words.
func opening(file string, line int) []view.Action {
	if !filepath.IsAbs(file) {
		return nil
	}
	at := &view.Place{URI: string(ide.FileURI(file))}
	if line > 0 {
		at.Range = &view.Range{Start: view.Position{Line: line - 1}, End: view.Position{Line: line - 1}}
	}
	return []view.Action{{ID: ShowIt, Title: phrase.Say("entry.open"), Look: view.Open, Steps: []view.Step{{Open: at}}}}
}

// Title returns the name of a list: mcp, subagents, skills, hooks or rules.
func Title(name string) view.Text { return phrase.Say("list." + name) }

// Empty says that a list is empty; "" is said of one that never is.
func Empty(name string) *view.Text {
	if code := "list.no_" + name; phrase.English(code) != "" {
		return new(phrase.Say(code))
	}
	return nil
}

// Done says what an action of an entry has done, by the code of the text.
func Done(code, name string) view.Text {
	return phrase.Say(code, "name", visible.ShortLine(name, shownAbout))
}

// Notice returns a notice that says what was done.
func Notice(id string, done view.Text) view.Item {
	return view.Item{ID: id, Kind: view.KindNotice, Look: view.LookInfo, Title: done}
}

// RuleEntry returns what is shown of a rule of a tier. source is a file and a line, or words.
func RuleEntry(text, tier, source string, removable bool) view.Entry {
	e := view.Entry{Label: new(phrase.Say("rule", "text", text))}
	if code := "rule." + tier; phrase.English(code) != "" {
		e.Note = new(phrase.Say(code))
	}
	if removable {
		e.Actions = append(e.Actions, view.Action{ID: Revoke, Title: phrase.Say("rule.revoke"), Look: view.Remove, Danger: true})
	}
	if i := strings.LastIndexByte(source, ':'); i > 0 {
		if line, err := strconv.Atoi(source[i+1:]); err == nil {
			e.Actions = append(e.Actions, opening(source[:i], line)...)
		}
	}
	return e
}
