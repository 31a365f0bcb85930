package lsp

import (
	"fmt"
	"reflect"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/present"
	"github.com/emendo-dev/emendo/lsp/review"
)

// status are the params of emendo/status.
type status struct {
	Kind         string            `json:"kind"`
	Message      string            `json:"message"`
	SessionID    string            `json:"sessionId,omitzero"`
	Model        string            `json:"model,omitzero"`
	Mode         policy.Mode       `json:"mode,omitzero"`
	Usage        *acp.Usage        `json:"usage,omitzero"`
	PendingHunks int               `json:"pendingHunks"`
	Unreviewed   int               `json:"unreviewedHunks,omitzero"`
	Sandbox      string            `json:"sandbox,omitzero"` // the letter of the sandbox level, once known
	Shell        *shell            `json:"shell,omitzero"`   // once its level is known
	Command      *protocol.Command `json:"command,omitzero"`
}

// shell says how much is asked about commands.
type shell struct {
	Ask   policy.Asking `json:"ask"`
	Level string        `json:"level"`         // of the sandbox, in lower case
	Why   string        `json:"why,omitempty"` // commands that change something ask
}

// statusTeller sends the status to the client.
type statusTeller struct {
	client *client.Client
	review *review.Review
	chat   *chat.Chat
	views  *present.Views

	// Owned by the announcer's goroutine.
	sent  status
	shown view.WindowStanding // in the window's view
}

// tell sends the status, and puts it into the window's view, if it has changed.
func (t *statusTeller) tell() {
	t.sendIfChanged()
	if !t.client.Can.View {
		return
	}
	if now := t.standing(); now != t.shown {
		t.shown = now
		t.views.PutItem(view.WindowStatus(now))
	}
}

// standing returns what the status in the window's view says.
func (t *statusTeller) standing() view.WindowStanding {
	h, err := t.client.Host.State()
	if h == nil && err != nil {
		return view.WindowStanding{Failed: err.Error()}
	}
	s := view.WindowStanding{Questions: t.views.CountQuestions(), NoFolder: !t.client.Folders.HasAny()}
	if h == nil {
		return s
	}
	if !s.NoFolder { // what is not trusted is no choice of the user's
		s.Restricted, _ = t.restricted(h)
	}
	s.SignedOut, s.Works = t.chat.Turns.SignedOut(), t.chat.Turns.Running()
	s.Level = h.Agent.Process.SandboxLevel()
	if shell, known := h.Agent.Process.Shell(t.client.Folders.Roots()); known {
		s.Why = shell.Why()
	}
	s.Pending, s.Unreviewed = h.Ledger.Waiting(""), h.Ledger.Unreviewed("")
	if ses := t.chat.Current.Session(); ses != nil { // only if already open
		i := ses.Info()
		s.Mode, s.Model, s.Usage = i.Mode, i.Model, i.Usage
	}
	return s
}

// sendIfChanged sends the status if it has changed.
func (t *statusTeller) sendIfChanged() {
	if !t.client.Can.Status || t.client.Can.View {
		return
	}
	if now, ok := t.current(); ok && !reflect.DeepEqual(now, t.sent) {
		t.sent = now
		t.client.Notify(t.client.Life(), "emendo/status", now)
	}
}

// current returns the current status, and false if there is none yet.
func (t *statusTeller) current() (status, bool) {
	h, err := t.client.Host.State()
	if h == nil && err != nil {
		return status{Kind: "error", Message: visible.OneLine(err.Error())}, true
	}
	if h == nil {
		return status{}, false
	}
	st := status{Kind: "ready", Message: "emendo is ready"}
	if folder, ok := t.restricted(h); ok {
		st.Kind, st.Message = "restricted", fmt.Sprintf("emendo can read %s and propose edits; commands and project settings are disabled until you trust it", visible.Line(folder))
		st.Command = new(client.NewCommand("Trust this folder", "emendo.trust", client.TrustArgs{URI: string(ide.FileURI(folder))}))
	}
	if t.chat.Turns.SignedOut() {
		st.Kind, st.Message = "signed_out", "not signed in: run `emendo auth login` in a terminal"
	}
	if t.chat.Turns.Running() {
		st.Kind, st.Message = "busy", "emendo is working"
	}
	st.Sandbox = h.Agent.Process.SandboxLevel()
	if s, known := h.Agent.Process.Shell(t.client.Folders.Roots()); known {
		st.Shell = &shell{s.Asking(), strings.ToLower(s.Level.String()), s.Why()}
	}
	st.PendingHunks, st.Unreviewed = h.Ledger.Waiting(""), h.Ledger.Unreviewed("")
	if ses := t.chat.Current.Session(); ses != nil { // only if already open
		i := ses.Info()
		st.SessionID, st.Model, st.Mode, st.Usage = ses.ID(), i.Model, i.Mode, new(acp.UsageOf(i.Usage))
	}
	return st, true
}

// restricted returns the first folder that is not trusted.
func (t *statusTeller) restricted(h *Host) (string, bool) {
	for _, f := range t.client.Folders.Roots() {
		if !h.Program.Trusted(f) {
			return f, true
		}
	}
	return "", false
}
