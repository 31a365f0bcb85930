package lsp

import (
	"fmt"
	"reflect"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// status is how the server stands, for the client to show.
type status struct {
	Kind         string     `json:"kind"`
	Message      string     `json:"message"`
	SessionID    string     `json:"sessionId,omitzero"`
	Model        string     `json:"model,omitzero"`
	Mode         agent.Mode `json:"mode,omitzero"`
	Usage        *acp.Usage `json:"usage,omitzero"`
	PendingHunks int        `json:"pendingHunks"`
	Sandbox      string     `json:"sandbox,omitzero"` // the letter of the level that commands are held at, once it is known
	Command      *command   `json:"command,omitzero"`
}

// command is an LSP Command.
type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitzero"`
}

// tellStatus tells the status when it is another one than the client has.
func (a *announcer) tellStatus() {
	if !a.s.can.status {
		return
	}
	if now, ok := a.s.statusNow(); ok && !reflect.DeepEqual(now, a.status) {
		a.status = now
		a.s.notify(a.s.life, "emendo/status", now)
	}
}

// statusNow says how the server stands; false before there is anything to say.
func (s *server) statusNow() (status, bool) {
	h, err := s.host.state()
	if h == nil && err != nil {
		return status{Kind: "error", Message: oneLine(err.Error())}, true
	}
	if h == nil {
		return status{}, false
	}
	st := status{Kind: "ready", Message: "emendo is ready"}
	if folder, ok := s.restricted(h); ok {
		st.Kind, st.Message = "restricted", fmt.Sprintf("emendo may read %s and propose edits; commands and project settings are off until you trust it", visible.Line(folder))
		st.Command = &command{"Trust this folder", "emendo.trust", []any{trustArgs{URI: string(ide.FileURI(folder))}}}
	}
	if s.signedOut.Load() {
		st.Kind, st.Message = "signed_out", "emendo has no credentials that the model's provider takes"
	}
	if s.turns.anyRuns() {
		st.Kind, st.Message = "busy", "emendo is working"
	}
	st.Sandbox = h.Agent.SandboxLevel()
	st.PendingHunks = len(s.pendingHunks(""))
	if id := s.current.get(); id != "" {
		if ses, err := h.Agent.Session(s.life, id); err == nil {
			i := ses.Info()
			u := acp.UsageOf(i.Usage)
			st.SessionID, st.Model, st.Mode, st.Usage = id, i.Model, i.Mode, &u
		}
	}
	return st, true
}

// restricted gives the first folder that is not trusted.
func (s *server) restricted(h *Host) (string, bool) {
	for _, f := range s.roots() {
		if h.Trusted == nil || !h.Trusted(f) {
			return f, true
		}
	}
	return "", false
}
