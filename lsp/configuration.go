package lsp

import (
	"encoding/json"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/host"
)

// section is the section of the editor's configuration for emendo.
const section = "emendo"

// configuration holds the editor's configuration for emendo. A repository can
// bring an editor's settings along, so it has the rank of project settings.
type configuration struct {
	client  *client.Client
	folders *host.Folders

	mu      sync.Mutex
	first   chan struct{}   // closed once the first question has ended; nil before initialized
	values  json.RawMessage // an object; nil: nothing is known
	version int             // counts questions to the client and notifications from it
}

// now returns the configuration, an object, or nil.
func (c *configuration) now() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values
}

// next returns a new version. Answers to older questions are ignored from now on.
func (c *configuration) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	return c.version
}

// set records what the client sent for a version.
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

// configurationChange are LSP's DidChangeConfigurationParams, with the settings in
// the form that this package decodes.
type configurationChange struct {
	Settings json.RawMessage `json:"settings"`
}

// didChange records the configuration that the client sent, or asks for it. It
// applies from the next prompt on.
func (c *configuration) didChange(p configurationChange) error {
	var sections map[string]json.RawMessage
	_ = json.Unmarshal(p.Settings, &sections) // clients that can be asked send null or anything else
	if values, ok := sections[section]; ok {
		c.set(c.next(), values)
		return nil
	}
	c.client.Go(c.ask)
	return nil
}

// awaitWithin is how long the agent waits for the client's first answer.
const awaitWithin = time.Second

// await waits for the configuration that the client was asked for when it said
// that it is initialized, so that the first session is made with it. A client that
// does not answer soon does not stop the agent.
func (c *configuration) await() {
	c.mu.Lock()
	first := c.first
	c.mu.Unlock()
	if first == nil {
		return
	}
	late := time.NewTimer(awaitWithin)
	defer late.Stop()
	select {
	case <-first:
	case <-late.C:
		c.client.Log.Warn("the client has not sent its configuration yet", "after", awaitWithin)
	case <-c.client.Life().Done():
	}
}

// start follows the configuration. It does not wait.
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

// follow asks for the configuration, and to be notified of its changes, as far as
// the client supports it.
func (c *configuration) follow() {
	life := c.client.Life()
	if c.client.Can.Configurable {
		p := protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "emendo-configuration", Method: "workspace/didChangeConfiguration", RegisterOptions: protocol.LSPAny(`{"section":"` + section + `"}`),
		}}}
		if err := c.client.Call(life, "client/registerCapability", p, nil); err != nil {
			c.client.Log.Debug("the client does not notify of configuration changes", "error", err)
		}
	}
	c.ask()
}

// ask asks for the configuration of the first folder.
func (c *configuration) ask() {
	if !c.client.Can.Configuration {
		return
	}
	life := c.client.Life()
	item := protocol.ConfigurationItem{Section: new(section)}
	if roots := c.folders.Roots(); len(roots) > 0 {
		item.ScopeURI = new(uri.URI(ide.FileURI(roots[0])))
	}
	version := c.next()
	var values []json.RawMessage
	if err := c.client.Call(life, "workspace/configuration", protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{item}}, &values); err != nil {
		if life.Err() == nil {
			c.client.Log.Warn("no configuration from the client", "error", err)
		}
		return
	}
	if len(values) == 1 {
		c.set(version, values[0])
	}
}
