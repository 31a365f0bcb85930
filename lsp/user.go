package lsp

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/emendo-dev/emendo/lsp/client"
)

// userChoices holds the user's choices that the client sends in initialize and on
// changes. They rank as user settings. The agent reads them for every prompt, and
// trust for every call.
type userChoices struct {
	trust    atomic.Value // a Trust
	settings atomic.Value // a json.RawMessage; nil: none
}

// hostUser implements [client.User] for the host.
type hostUser struct{ s *server }

func (u hostUser) Holds(folder string) bool       { return u.s.client.Folders.Holds(folder) }
func (u hostUser) Configuration() json.RawMessage { return u.s.configuration.current() }
func (u hostUser) Warn(text string)               { u.s.client.Warn(u.s.client.Life(), text) }
func (u hostUser) Trust() Trust                   { return u.s.user.trust.Load().(Trust) }
func (u hostUser) Settings() json.RawMessage      { return u.s.user.settings.Load().(json.RawMessage) }

func (u *userChoices) setTrust(t Trust) error {
	switch t {
	case Trusted, Restricted, AskTrust:
	default:
		return fmt.Errorf("unknown trust %q: want trusted, restricted or ask", t)
	}
	u.trust.Store(t)
	return nil
}

func (u *userChoices) setSettings(values json.RawMessage) {
	if string(values) == "null" {
		values = nil
	}
	u.settings.Store(values)
}

// trustChange are the params of emendo/workspace/didChangeTrust.
type trustChange struct {
	Trust Trust `json:"trust"`
}

// didChangeTrust records the user's decision about the workspace. It applies from
// the next call.
func (s *server) didChangeTrust(p trustChange) error {
	if err := s.user.setTrust(p.Trust); err != nil {
		return client.Invalid("invalid params: %v", err)
	}
	s.client.Touch()
	s.companion.Changed()
	return nil
}

// settingsChange are the params of emendo/settings/didChange.
type settingsChange struct {
	Settings json.RawMessage `json:"settings"`
}

// didChangeSettings replaces the user's settings. They apply from the next prompt.
func (s *server) didChangeSettings(p settingsChange) error {
	s.user.setSettings(p.Settings)
	s.followCompanion()
	return nil
}
