package lsp

import (
	"encoding/json"
	"sync"

	"github.com/emendo-dev/emendo/ide"
)

// section is where editors keep what users configure for emendo.
const section = "emendo"

// configuration is what stands there. A repository can bring an editor's
// settings along, so it has a project's rank.
type configuration struct {
	mu     sync.Mutex
	values json.RawMessage // an object; nil: nothing is known
	asked  int             // how often the client was asked or has told
}

// now is what is known, an object, or nil.
func (c *configuration) now() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values
}

// turn counts a question, or a word of the client's own. Older questions are not
// heard any more.
func (c *configuration) turn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return c.asked
}

// set takes over what the client said at that turn.
func (c *configuration) set(turn int, values json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if turn != c.asked {
		return
	}
	c.values = nil
	if len(values) > 0 && values[0] == '{' {
		c.values = values
	}
}

type configurationChange struct {
	Settings json.RawMessage `json:"settings"`
}

// didChangeConfiguration takes over what the client sends along, or asks for
// what it does not. It holds from the next prompt on.
func (s *server) didChangeConfiguration(p configurationChange) error {
	var sections map[string]json.RawMessage
	_ = json.Unmarshal(p.Settings, &sections) // clients that are asked send null, or what they like
	if values, ok := sections[section]; ok {
		s.configuration.set(s.configuration.turn(), values)
		return nil
	}
	s.spawn(s.askConfiguration)
	return nil
}

// followConfiguration asks for the configuration and to be told of its changes,
// as far as the client knows these requests.
func (s *server) followConfiguration() {
	if s.can.configurations {
		err := s.conn.Call(s.life, "client/registerCapability", object{"registrations": []object{{
			"id": "emendo-configuration", "method": "workspace/didChangeConfiguration", "registerOptions": object{"section": section},
		}}}, nil)
		if err != nil {
			s.log.Debug("the client does not tell of changes of its configuration", "error", err)
		}
	}
	s.askConfiguration()
}

// askConfiguration asks what is configured for the first folder.
func (s *server) askConfiguration() {
	if !s.can.configuration {
		return
	}
	item := object{"section": section}
	if roots := s.roots(); len(roots) > 0 {
		item["scopeUri"] = ide.FileURI(roots[0])
	}
	turn := s.configuration.turn()
	var values []json.RawMessage
	if err := s.conn.Call(s.life, "workspace/configuration", object{"items": []object{item}}, &values); err != nil {
		if s.life.Err() == nil {
			s.log.Warn("the client does not say what is configured", "error", err)
		}
		return
	}
	if len(values) == 1 {
		s.configuration.set(turn, values[0])
	}
}
