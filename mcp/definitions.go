package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"github.com/emendo-dev/emendo/internal/private"
)

// Definitions stores, in a private file, the definition with which the user last
// allowed each tool. It is safe for use by several goroutines and processes.
type Definitions struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex
	known map[string]string // definitions by tool; nil: not read
}

// maxDefinitions limits the file. Older tools are dropped and count as new.
const maxDefinitions = 20_000

// OpenDefinitions returns the definitions stored in a private file, which need not
// exist.
func OpenDefinitions(path string, log *slog.Logger) *Definitions {
	return &Definitions{path: path, log: log}
}

// changed reports whether a tool was last allowed with another definition.
func (d *Definitions) changed(tool, definition string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	have, ok := d.load()[tool]
	return ok && have != definition
}

// allow stores that a tool was allowed with this definition.
func (d *Definitions) allow(tool, definition string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.load()[tool] == definition {
		return
	}
	d.known[tool] = definition
	if err := d.store(tool, definition); err != nil {
		d.log.Warn("store the definition of an MCP tool; later sessions will not notice a change", "err", err)
	}
}

// load returns what is known, and reads the file once. If it cannot be read, every tool
// counts as new.
func (d *Definitions) load() map[string]string {
	if d.known == nil {
		var err error
		if d.known, err = d.stored(); err != nil {
			d.log.Warn("read definitions of MCP tools", "err", err)
		}
	}
	return d.known
}

func (d *Definitions) stored() (map[string]string, error) {
	known := map[string]string{}
	text, err := os.ReadFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, err
	}
	if err := json.Unmarshal(text, &known); err != nil || known == nil {
		return map[string]string{}, fmt.Errorf("%s: %w", d.path, err)
	}
	return known, nil
}

// store adds a definition to the file, which other processes may have changed.
func (d *Definitions) store(tool, definition string) (err error) {
	unlock, err := private.Lock(d.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := d.stored()
	if err != nil {
		return err
	}
	for other := range all {
		if len(all) < maxDefinitions {
			break
		}
		delete(all, other)
	}
	all[tool] = definition
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return private.Replace(d.path, text)
}
