//go:build unix && !linux

package sandbox

import "errors"

// begin says that there is no level A of emendo's own here.
func (isolation) begin() error { return errors.New("isolate a command: only Linux has namespaces") }
