package lsp

import (
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// section is the section of the editor's configuration for emendo.
const section = "emendo"

// configuration holds the editor's configuration for emendo. It ranks as project
// settings, because a repository can bring along editor settings.
type configuration struct {
	client *client.Client

	mu      sync.Mutex
	first   chan struct{}   // closed after the first request; nil before initialized
	values  json.RawMessage // an object; nil: none yet
	version int             // counts requests to the client and notifications from it
}

// current returns the configuration, an object, or nil.
func (c *configuration) current() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values
}

// next returns a new version. Answers to older requests are ignored from now on.
func (c *configuration) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	return c.version
}

// set stores the client's values for a version.
func (c *configuration) set(version int, values json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version != c.version {
		return
	}
	c.values = nil
	if len(values) > 0 && values[0] == '{' {
		c.values = values
	}
}

// configurationChange is LSP's DidChangeConfigurationParams, with undecoded
// settings.
type configurationChange struct {
	Settings json.RawMessage `json:"settings"`
}

// didChange stores the configuration that the client sent, or asks for it. It
// applies from the next prompt.
func (c *configuration) didChange(p configurationChange) error {
	var sections map[string]json.RawMessage
	_ = json.Unmarshal(p.Settings, &sections) // a client that supports workspace/configuration may send anything
	if values, ok := sections[section]; ok {
		c.set(c.next(), values)
		return nil
	}
	c.client.Go(c.ask)
	return nil
}

// awaitWithin is how long the agent waits for the client's first answer.
const awaitWithin = time.Second

// await waits for the configuration that was requested in initialized, so that the
// first session uses it. It stops waiting for a slow client.
func (c *configuration) await() {
	c.mu.Lock()
	first := c.first
	c.mu.Unlock()
	if first == nil {
		return
	}
	select {
	case <-first:
	case <-time.After(awaitWithin):
		c.client.Log.Warn("the client has not sent its configuration yet", "after", awaitWithin)
	case <-c.client.Life().Done():
	}
}

// start runs follow in the background.
func (c *configuration) start() {
	first := make(chan struct{})
	c.mu.Lock()
	c.first = first
	c.mu.Unlock()
	c.client.Go(func() {
		defer close(first)
		c.follow()
	})
}

// follow requests the configuration, and notifications of changes, as far as the
// client supports it.
func (c *configuration) follow() {
	life := c.client.Life()
	if c.client.Can.Configurable {
		p := protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "emendo-configuration", Method: "workspace/didChangeConfiguration", RegisterOptions: protocol.LSPAny(`{"section":"` + section + `"}`),
		}}}
		if err := c.client.Call(life, "client/registerCapability", p, nil); err != nil {
			c.client.Log.Debug("register for configuration changes", "error", err)
		}
	}
	c.ask()
}

// ask requests the configuration of the first folder.
func (c *configuration) ask() {
	if !c.client.Can.Configuration {
		return
	}
	life := c.client.Life()
	item := protocol.ConfigurationItem{Section: new(section)}
	if roots := c.client.Folders.Roots(); len(roots) > 0 {
		item.ScopeURI = new(uri.URI(ide.FileURI(roots[0])))
	}
	version := c.next()
	var values []json.RawMessage
	if err := c.client.Call(life, "workspace/configuration", protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{item}}, &values); err != nil {
		if life.Err() == nil {
			c.client.Log.Warn("request the client's configuration", "error", err)
		}
		return
	}
	if len(values) == 1 {
		c.set(version, values[0])
	}
}
