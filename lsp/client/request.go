package client

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/ide"
)

type editorRequest struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

// Request has the client's own language servers answer an LSP request, and decodes
// their answer into result. It returns [ide.ErrUnsupported] for a method that the
// client does not pass on.
func (c *Client) Request(ctx context.Context, method string, params, result any) error {
	if !c.Can.Passes(method) {
		return ide.ErrUnsupported
	}
	if err := c.Call(ctx, "emendo/editor/request", editorRequest{method, params}, result); err != nil {
		return fmt.Errorf("%s of the editor's language servers: %w", method, err)
	}
	return nil
}
