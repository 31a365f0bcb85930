package lsp

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/lsp/request"
)

// userChoices hold what the client passes of its user's choices: with initialize, and
// whenever they change. They have the user's rank. The agent reads them for every
// prompt, and trust for every call.
type userChoices struct {
	changed func() // called when trust has changed
	settled func() // called when settings have changed

	mu       sync.Mutex
	trust    Trust
	settings json.RawMessage // nil: none
}

// trustNow returns the decision of the client's workspace trust.
func (u *userChoices) trustNow() Trust {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.trust
}

// settingsNow returns the user's settings, or nil.
func (u *userChoices) settingsNow() json.RawMessage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.settings
}

func (u *userChoices) setTrust(t Trust) error {
	switch t {
	case Trusted, Restricted, AskTrust:
	default:
		return fmt.Errorf("unknown trust %q: want trusted, restricted or ask", t)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.trust = t
	return nil
}

func (u *userChoices) setSettings(values json.RawMessage) {
	if string(values) == "null" {
		values = nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.settings = values
}

// trustChange are the params of emendo/workspace/didChangeTrust.
type trustChange struct {
	Trust Trust `json:"trust"`
}

// didChangeTrust records that the user has decided about the workspace. It applies
// from the next call on.
func (u *userChoices) didChangeTrust(p trustChange) error {
	if err := u.setTrust(p.Trust); err != nil {
		return request.Invalid("invalid params: %v", err)
	}
	u.changed()
	return nil
}

// settingsChange are the params of emendo/settings/didChange.
type settingsChange struct {
	Settings json.RawMessage `json:"settings"`
}

// didChangeSettings replaces the user's settings. They apply from the next prompt on.
func (u *userChoices) didChangeSettings(p settingsChange) error {
	u.setSettings(p.Settings)
	u.settled()
	return nil
}
