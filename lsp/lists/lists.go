// Package lists serves the lists of what sessions use beside the built-in tools: MCP servers,
// agents, skills and hooks. It has them enabled and disabled in the user's own settings; what a
// project or the administrator decides stays as it is, and so does what needs approval.
package lists

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/listing"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Lists has the handlers of a server that deal with the lists.
type Lists struct{ c *client.Client }

// New returns the handlers.
func New(c *client.Client) *Lists { return &Lists{c} }

// A Kind is that of the entries of a list.
type Kind string

// The kinds, as they are in the names of methods.
const (
	Servers Kind = "mcp"
	Agents  Kind = "subagents"
	Skills  Kind = "skills"
	Hooks   Kind = "hooks"
)

// disabling are the lists of the settings that disable what is of a kind.
var disabling = map[Kind]settings.Disabling{
	Servers: settings.DisabledServers, Agents: settings.DisabledAgents, Skills: settings.DisabledSkills, Hooks: settings.DisabledHooks,
}

// Where says of what a list is: of a session, of a folder, or, without either, of the first
// folder of the workspace.
type Where struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
}

// at returns of what a list is, with the folder that is meant.
func (l *Lists) at(w Where) (Where, error) {
	switch {
	case w.SessionID != "":
		return Where{SessionID: w.SessionID}, nil
	case w.Cwd != "" && !filepath.IsAbs(w.Cwd):
		return w, client.Invalid("cwd %q is not an absolute path", w.Cwd)
	case w.Cwd == "":
		roots := l.c.Folders.Roots()
		if len(roots) == 0 {
			return w, client.Invalid("no folder is open: give a sessionId or a cwd")
		}
		w.Cwd = roots[0]
	}
	return w, nil
}

// List answers a request for a list. Clients that draw get words for it.
type List[T any] struct {
	Entries []T        `json:"entries"`
	Title   *view.Text `json:"title,omitzero"`
	None    *view.Text `json:"none,omitzero"` // what is said of an empty list
}

// Problem is the state of an entry that stands for a file which defines nothing.
const problem = "problem"

// named are the params of a request about one entry.
type named struct {
	Where
	Name string `json:"name"`
}

type setEnabledParams struct {
	named
	Enabled *bool `json:"enabled"`
}

// SetEnabled returns the handler of emendo/KIND/setEnabled.
func (l *Lists) SetEnabled(k Kind) func(context.Context, setEnabledParams) (any, error) {
	return func(ctx context.Context, p setEnabledParams) (any, error) {
		if err := client.Require(p.Name, "name"); err != nil {
			return nil, err
		}
		if p.Enabled == nil {
			return nil, client.Invalid("missing enabled")
		}
		w, err := l.at(p.Where)
		if err != nil {
			return nil, err
		}
		return struct{}{}, l.setEnabled(ctx, k, w, p.Name, *p.Enabled)
	}
}

// setEnabled enables or disables what a list has.
func (l *Lists) setEnabled(ctx context.Context, k Kind, w Where, name string, enabled bool) error {
	h, err := l.c.Host.Get(ctx)
	if err != nil {
		return err
	}
	all, err := l.entries(ctx, k, w)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(e found) bool { return disabling[k].Equal(e.name, name) && e.id != "" })
	if i < 0 {
		return client.Invalid("there is no %q in the list of %s; emendo/%s/list has those that there are", name, k, k)
	}
	if !all[i].lists {
		return client.Invalid("%s cannot be enabled here: %s", name, all[i].Note.Text)
	}
	if err := h.Program.SetDisabled(disabling[k], all[i].name, !enabled); err != nil {
		return err
	}
	if k == Servers && !enabled {
		h.Agent.StopServer(ctx, all[i].name)
	}
	l.c.Touch()
	return nil
}

// found is an entry of a list.
type found struct {
	id, name string
	lists    bool // the user's settings decide whether it is enabled
	view.Entry
}

// entries returns the entries of a list.
func (l *Lists) entries(ctx context.Context, k Kind, w Where) (all []found, err error) {
	if k == Servers {
		servers, err := l.servers(ctx, w)
		for _, s := range servers {
			all = append(all, found{s.ID, s.Name, s.lists, s.said})
		}
		return all, err
	}
	optionals, err := l.optionals(ctx, k, w)
	for _, o := range optionals {
		all = append(all, found{o.ID, o.Name, true, o.said})
	}
	return all, err
}

// entryID returns the ID of an entry: its actions are done by it in the window's view.
// Two of different sources may have the same name.
func entryID(k Kind, w Where, name, source string) string {
	return string(k) + ":" + url.QueryEscape(w.SessionID+w.Cwd) + ":" + url.QueryEscape(name) + ":" + source
}

// Find returns an entry by its ID, as it is now; false if it is no ID of an entry, or there is
// none any more.
func (l *Lists) Find(ctx context.Context, id string) (view.Entry, bool) {
	k, w, _, ok := parse(id)
	if !ok {
		return view.Entry{}, false
	}
	all, err := l.entries(ctx, k, w)
	i := slices.IndexFunc(all, func(e found) bool { return e.id == id })
	if err != nil || i < 0 {
		return view.Entry{}, false
	}
	return all[i].Entry, true
}

func parse(id string) (k Kind, w Where, name string, ok bool) {
	l := strings.SplitN(id, ":", 4)
	if k = Kind(l[0]); len(l) < 4 || disabling[k] == "" {
		return "", w, "", false
	}
	at, err := url.QueryUnescape(l[1])
	name, err2 := url.QueryUnescape(l[2])
	if err != nil || err2 != nil {
		return "", w, "", false
	}
	if filepath.IsAbs(at) {
		return k, Where{Cwd: at}, name, true
	}
	return k, Where{SessionID: at}, name, true
}

// Act does an action of an entry, and returns what it has done.
func (l *Lists) Act(ctx context.Context, id, action string) (view.Text, error) {
	k, w, name, _ := parse(id)
	done := func(code string, err error) (view.Text, error) {
		if err != nil {
			return view.Text{}, err
		}
		return listing.Done(code, name), nil
	}
	switch action {
	case listing.Enable, listing.Disable:
		enabled := action == listing.Enable
		return done(switched(k, enabled), l.setEnabled(ctx, k, w, name, enabled))
	case listing.Restart:
		return done(l.restart(ctx, w, name))
	case listing.SignIn:
		return done("server.signed_in_to", l.signIn(ctx, w, name))
	case listing.SignOut:
		return done("server.signed_out_of", l.signOut(ctx, w, name))
	}
	panic("lists: no action " + action)
}

// switched returns the code of what is said after something was enabled or disabled.
func switched(k Kind, enabled bool) string {
	switch {
	case k == Hooks && enabled:
		return "list.hook_on"
	case k == Hooks:
		return "list.hook_off"
	case k == Servers && enabled:
		return "list.enabled_mcp"
	case enabled:
		return "list.enabled"
	}
	return "list.disabled"
}
