package state

import (
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
)

// told holds the states of a session that its front end knows.
type told struct {
	mu sync.Mutex
	of map[string]frontend.Event // by what they are the state of
}

// isNews notes an event and reports whether the front end does not know it.
func (t *told) isNews(e frontend.Event) bool {
	if e.Of() == "" {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before, known := t.of[e.Of()]
	if reflect.DeepEqual(e, before) {
		return false
	}
	t.of[e.Of()] = e
	return known || !nothing(e)
}

// nothing reports whether an event says what is so without saying: that there are none.
func nothing(e frontend.Event) bool {
	switch e := e.(type) {
	case frontend.MemoryChanged:
		return e.FileCount == 0
	case frontend.AgentsFound:
		return len(e.Agents) == 0
	case frontend.QuotaChanged:
		return len(e.Left) == 0
	case frontend.HookStart, frontend.MCPState:
	}
	return false
}

// Publish tells the front end about an event, if it follows events and does not know it.
func (s *Session) Publish(e frontend.Event) {
	if f, ok := s.Agent.Client.(frontend.Follower); ok && s.told.isNews(e) {
		f.Happened(s.SessionID, e)
	}
}

// PublishHook publishes that a hook of an engine starts, unless the user does not want
// to know.
func (s *Session) PublishHook(e hooks.Engine, h hooks.Hook) {
	if !e.Config.Quiet {
		s.Publish(frontend.HookStart{HookName: h.Label(), EventName: string(h.Event), Source: h.Source.String()})
	}
}

// PublishMemory publishes the context files and saved facts if they have changed.
func (s *Session) PublishMemory(files []briefing.File) {
	text, err := json.Marshal(files)
	if err != nil {
		panic(err) // plain structs
	}
	s.Publish(frontend.MemoryChanged{FileCount: len(files), Text: sha256.Sum256(text)})
}

// PublishQuota publishes what a model's provider still accepts, if that has changed.
func (s *Session) PublishQuota(g model.Generator) {
	now := frontend.QuotaChanged{Left: []frontend.Quota{}}
	if a, ok := model.As[model.Allower](g); ok {
		for _, l := range a.Allowances() {
			now.Left = append(now.Left, frontend.Quota{Of: l.Of, Remaining: l.Remaining, Limit: l.Limit, ResetAt: l.Resets.UTC().Truncate(time.Second)})
		}
	}
	s.Publish(now)
}
