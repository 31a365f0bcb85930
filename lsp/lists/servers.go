package lists

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/listing"
	"github.com/emendo-dev/emendo/lsp/client"
)

// server is an MCP server as clients get it.
type server struct {
	ID          string   `json:"id,omitzero"`
	Name        string   `json:"name"`
	Transport   string   `json:"transport,omitzero"`
	Target      string   `json:"target,omitzero"`
	File        string   `json:"file,omitzero"`
	State       string   `json:"state"`
	Why         string   `json:"why,omitzero"`
	Enabled     bool     `json:"enabled"`
	Tools       []string `json:"tools,omitzero"`
	SignedIn    bool     `json:"signedIn,omitzero"`
	*view.Entry          // for clients that draw
	said        view.Entry
	lists       bool
}

// ListServers answers emendo/mcp/list.
func (l *Lists) ListServers(ctx context.Context, w Where) (any, error) {
	w, err := l.at(w)
	if err != nil {
		return nil, err
	}
	all, err := l.servers(ctx, w)
	if err != nil {
		return nil, err
	}
	return answer(l, Servers, all, func(s *server) { s.Entry = &s.said }), nil
}

// running returns the servers of a session, and its folders.
func (l *Lists) running(ctx context.Context, w Where) (now []state.ServerState, supply state.Servers, folders []string, err error) {
	if w.SessionID == "" {
		return nil, nil, []string{w.Cwd}, nil
	}
	ses, err := l.c.Host.Session(ctx, w.SessionID)
	if err != nil {
		return nil, nil, nil, err
	}
	if supply = ses.State.Servers(); supply != nil {
		now = supply.States()
	}
	return now, supply, ses.State.Work.Roots(), nil
}

// servers returns the MCP servers of a session or a folder.
func (l *Lists) servers(ctx context.Context, w Where) ([]server, error) {
	h, err := l.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	now, _, folders, err := l.running(ctx, w)
	if err != nil {
		return nil, err
	}
	configured, problems := h.Program.Servers(folders).List()
	var all []server
	for _, c := range configured {
		s := server{ID: entryID(Servers, w, c.Name, ""), Name: c.Name, Transport: c.Transport, Target: c.Target, File: c.File, SignedIn: c.SignedIn}
		if c.Standing == client.Hidden {
			s.ID = "" // that of the one that hides it
		}
		i := slices.IndexFunc(now, func(r state.ServerState) bool { return r.Name == c.Name })
		var runs state.ServerState
		if i >= 0 {
			runs = now[i]
		}
		s.stand(c, runs)
		all = append(all, s)
	}
	for _, p := range problems {
		all = append(all, server{State: problem, said: listing.ProblemEntry(p)})
	}
	return all, nil
}

// stand sets the state of a server that is configured, and may run.
func (s *server) stand(c client.MCPServer, runs state.ServerState) {
	s.Enabled, s.lists = true, true
	switch c.Standing {
	case client.Hidden:
		s.State, s.Why, s.Enabled, s.lists = listing.ServerHidden, c.Why, false, false
	case client.Excluded:
		s.State, s.Enabled = listing.ServerDisabled, false
		if c.Why != string(disabling[Servers]) {
			s.Why, s.lists = c.Why, false
		}
	case client.SwitchedOff:
		s.State, s.Why, s.Enabled, s.lists = listing.ServerDisabled, c.File, false, false
	case client.NotTrusted:
		s.State = listing.ServerRestricted
	case client.Unapprovable:
		s.State, s.Why = listing.ServerFailed, c.Why
	case client.Starts, client.Approved, client.Unapproved, client.Changed, client.EachTime:
		s.run(c, runs)
	}
	s.said = listing.ServerEntry(listing.Server{
		Name: s.Name, File: s.File, State: s.State, Why: s.Why, Enabled: s.Enabled, Lists: s.lists, Tools: s.Tools, SignsIn: c.SignsIn, SignedIn: c.SignedIn,
	})
}

// run sets the state of a server that may run.
func (s *server) run(c client.MCPServer, runs state.ServerState) {
	switch {
	case runs.State == listing.ServerReady || runs.State == listing.ServerStarting:
		s.State, s.Tools = runs.State, runs.Tools
	case runs.Login || c.Needs && runs.Err == nil:
		s.State = listing.ServerLogin
	case runs.State == listing.ServerFailed:
		s.State, s.Why = listing.ServerFailed, runs.Err.Error()
		if runs.GivenUp {
			s.State = listing.ServerGivenUp
		}
	case c.Standing == client.Changed:
		s.State = listing.ServerChanged
	case c.Standing == client.Unapproved || c.Standing == client.EachTime:
		s.State = listing.ServerApproval
	default:
		s.State = listing.ServerIdle
	}
}

// Restart answers emendo/mcp/restart.
func (l *Lists) Restart(ctx context.Context, p named) (any, error) {
	return l.withServer(ctx, p, func(ctx context.Context, w Where, name string) error {
		_, err := l.restart(ctx, w, name)
		return err
	})
}

// SignIn answers emendo/mcp/signIn.
func (l *Lists) SignIn(ctx context.Context, p named) (any, error) {
	return l.withServer(ctx, p, l.signIn)
}

// SignOut answers emendo/mcp/signOut.
func (l *Lists) SignOut(ctx context.Context, p named) (any, error) {
	return l.withServer(ctx, p, l.signOut)
}

// withServer does something with the server that a request names.
func (l *Lists) withServer(ctx context.Context, p named, do func(ctx context.Context, w Where, name string) error) (any, error) {
	if err := client.Require(p.Name, "name"); err != nil {
		return nil, err
	}
	w, err := l.at(p.Where)
	if err != nil {
		return nil, err
	}
	return struct{}{}, do(ctx, w, p.Name)
}

// known returns a server of the list by its name.
func (l *Lists) known(ctx context.Context, w Where, name string) (server, error) {
	all, err := l.servers(ctx, w)
	i := slices.IndexFunc(all, func(s server) bool { return s.Name == name && s.ID != "" })
	switch {
	case err != nil:
		return server{}, err
	case i < 0:
		return server{}, client.Invalid("no MCP server %q is configured here; emendo/mcp/list has those that are", name)
	}
	return all[i], nil
}

// restart starts a server of a session again, and returns the code of what it has done. One that
// needs approval is checked, and starts, with the next prompt.
func (l *Lists) restart(ctx context.Context, w Where, name string) (did string, err error) {
	s, err := l.known(ctx, w, name)
	switch {
	case err != nil:
		return "", err
	case !s.Enabled || s.State == listing.ServerRestricted:
		return "", client.Invalid("%s cannot be started: %s", name, s.said.Note.Text)
	}
	_, supply, _, err := l.running(ctx, w)
	switch {
	case err != nil:
		return "", err
	case supply == nil || !supply.Restart(ctx, name, true):
		return "server.not_running", nil
	}
	l.c.Touch()
	for _, now := range supply.States() {
		if now.Name == name && now.State == listing.ServerIdle {
			return "server.ended", nil
		}
	}
	return "server.restarting", nil
}

// signIn signs the user in to a server, and lets it start again in the session.
func (l *Lists) signIn(ctx context.Context, w Where, name string) error {
	return l.changeLogin(ctx, w, name, func(servers client.Servers) error {
		return servers.SignIn(ctx, name, func(address string) error { return l.show(ctx, address) })
	})
}

// signOut signs the user out of a server, which ends in the session.
func (l *Lists) signOut(ctx context.Context, w Where, name string) error {
	return l.changeLogin(ctx, w, name, func(servers client.Servers) error { return servers.SignOut(ctx, name) })
}

func (l *Lists) changeLogin(ctx context.Context, w Where, name string, change func(client.Servers) error) error {
	if _, err := l.known(ctx, w, name); err != nil {
		return err
	}
	h, err := l.c.Host.Get(ctx)
	if err != nil {
		return err
	}
	_, _, folders, err := l.running(ctx, w)
	if err != nil {
		return err
	}
	if err := change(h.Program.Servers(folders)); err != nil {
		return err
	}
	h.Agent.StopServer(ctx, name)
	l.c.Touch()
	return nil
}

// show opens an address in the user's browser: by the client, which may be on another machine.
func (l *Lists) show(ctx context.Context, address string) error {
	if l.c.Can.ShowDocument {
		var shown struct {
			Success bool `json:"success"`
		}
		p := protocol.ShowDocumentParams{URI: uri.URI(address), External: new(true)}
		if err := l.c.Ask(ctx, "window/showDocument", p, &shown); err == nil && shown.Success {
			return nil
		}
	}
	h, err := l.c.Host.Get(ctx)
	if err != nil {
		return err
	}
	if err := h.Program.Browser(address); err != nil {
		return fmt.Errorf("open %s: %w", address, err)
	}
	return nil
}
