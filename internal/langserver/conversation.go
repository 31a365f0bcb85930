package langserver

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// A Conversation is the exclusive use of a running server whose documents match a
// [View]. It is only valid during the call of [Lease.Converse].
type Conversation struct {
	s    *server
	view View
}

// Encoding returns the unit in which the server counts characters.
func (c *Conversation) Encoding() ide.Encoding { return c.s.can.PositionEncoding }

// Call makes an LSP request and decodes the answer into result.
func (c *Conversation) Call(ctx context.Context, method string, params, result any) error {
	return c.s.call(ctx, method, params, result)
}

// SetTexts sets the server's documents to those of the view, with other texts in place
// of the view's own.
func (c *Conversation) SetTexts(ctx context.Context, texts map[string]string, paths ...string) error {
	c.view.Texts = texts
	return c.s.sync(ctx, c.view.documents(ctx, c.s.program, c.s.folders, paths))
}

// ErrNoDiagnostics means that the problems of a given text cannot be determined:
// the server has no request for them, and its own reports have no version.
var ErrNoDiagnostics = errors.New("the language server does not report for which text a problem is")

// Diagnostics returns the problems of a file, in the text that the server has. The
// file must be one of the server's documents.
func (c *Conversation) Diagnostics(ctx context.Context, path string) ([]Diagnostic, error) {
	switch {
	case !c.requestsDiagnostics():
		return c.await(ctx, path)
	case c.pulls():
		return c.pullDiagnostics(ctx, path)
	}
	return c.askTypeScript(ctx, path)
}

// requestsDiagnostics reports whether the server has a request for problems; else it reports them
// on its own.
func (c *Conversation) requestsDiagnostics() bool { return c.pulls() || c.hasCommand(tsCommand) }

// pulls reports whether the server supports LSP's pull diagnostics.
func (c *Conversation) pulls() bool {
	return len(c.s.can.Diagnostics) > 0 && string(c.s.can.Diagnostics) != "null"
}

// Published returns the problems that the server has reported on its own. They may
// be of earlier texts.
func (c *Conversation) Published() map[string][]Diagnostic {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	all := map[string][]Diagnostic{}
	for uri, p := range c.s.published {
		if path := uri.Path(); path != "" && len(p.found) > 0 {
			all[path] = p.found
		}
	}
	return all
}

// serverCancelled is LSP's error code for a request to retry.
const serverCancelled = -32802

// pullDiagnostics requests the problems of a file as pull diagnostics.
func (c *Conversation) pullDiagnostics(ctx context.Context, path string) ([]Diagnostic, error) {
	params := map[string]any{"textDocument": textDocument{URI: ide.FileURI(path)}}
	for {
		var answer struct {
			Items []sent `json:"items"`
		}
		err := c.Call(ctx, "textDocument/diagnostic", params, &answer)
		if e, ok := errors.AsType[*rpc.Error](err); ok && (e.Code == serverCancelled || e.Code == rpc.ContentModified) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		return received(answer.Items), nil
	}
}

// tsCommand passes a request on to tsserver. typescript-language-server wraps
// tsserver and has no request for problems.
const tsCommand = "typescript.tsserverRequest"

func (c *Conversation) hasCommand(command string) bool {
	for _, name := range c.s.can.Commands.Names {
		if name == command {
			return true
		}
	}
	return false
}

func (c *Conversation) askTypeScript(ctx context.Context, path string) ([]Diagnostic, error) {
	found := []Diagnostic{}
	for _, request := range []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync"} {
		var answer struct {
			Body []tsDiagnostic `json:"body"`
		}
		params := map[string]any{"command": tsCommand, "arguments": []any{request, map[string]string{"file": path}}}
		if err := c.Call(ctx, "workspace/executeCommand", params, &answer); err != nil {
			return nil, err
		}
		for _, d := range answer.Body[:min(len(answer.Body), maxDiagnostics)] {
			found = append(found, d.diagnostic())
		}
	}
	return found, nil
}

// await waits until the server has published the problems of its current text.
func (c *Conversation) await(ctx context.Context, path string) ([]Diagnostic, error) {
	uri, version := ide.FileURI(path), c.s.documents[path].version
	for {
		c.s.mu.Lock()
		p, ok := c.s.published[uri]
		news := c.s.news
		c.s.mu.Unlock()
		switch {
		case ok && p.version == nil:
			return nil, ErrNoDiagnostics
		case ok && *p.version == version:
			return p.found, nil
		}
		select {
		case <-news:
		case <-c.s.conn.Done():
			return nil, rpc.ErrClosed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
