package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/stopwatch"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/mcp/oauth"
)

// newClient returns the client of one connection, which reports to changed that a list has
// changed.
func (s *Server) newClient(changed chan<- struct{}) *mcp.Client {
	note := func() {
		select {
		case changed <- struct{}{}:
		default: // it is reported already
		}
	}
	o := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true}}, //nolint:staticcheck // servers of today use it
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { note() },
		PromptListChangedHandler:    func(context.Context, *mcp.PromptListChangedRequest) { note() },
		ResourceListChangedHandler:  func(context.Context, *mcp.ResourceListChangedRequest) { note() },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { s.progress.report(r.Params) },
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { //nolint:staticcheck // likewise
			if text, err := json.Marshal(r.Params.Data); err == nil {
				s.o.Log.Debug("message of an MCP server", "server", s.o.Name, "level", r.Params.Level, "message", string(text[:min(len(text), 2000)]))
			}
		},
	}
	if s.o.Requests != nil {
		o.CreateMessageHandler, o.ElicitationHandler = s.sample, s.elicit //nolint:staticcheck // likewise
		o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "emendo", Title: "emendo", Version: s.o.Version}, o)
	for _, f := range s.o.Folders {
		c.AddRoots(&mcp.Root{URI: string(ide.FileURI(f)), Name: filepath.Base(f)}) //nolint:staticcheck // likewise
	}
	return c
}

// refuses reports whether a server answered, and does not take this version of the
// protocol.
func refuses(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (e.Code == jsonrpc.CodeMethodNotFound || e.Code == mcp.CodeUnsupportedProtocolVersion)
}

// progressions are the calls that want to hear of their progress, by token.
type progressions struct {
	mu    sync.Mutex
	last  int
	calls map[string]func(text string)
}

func (p *progressions) add(tell func(string)) (token string, remove func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = "call-" + strconv.Itoa(p.last)
	p.calls[token] = tell
	return token, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, token)
	}
}

func (p *progressions) report(n *mcp.ProgressNotificationParams) {
	token, _ := n.ProgressToken.(string)
	p.mu.Lock()
	defer p.mu.Unlock() // no progress of a call is reported after it was removed
	tell := p.calls[token]
	if tell == nil {
		return
	}
	text := strconv.FormatFloat(n.Progress, 'g', -1, 64)
	if n.Total > 0 {
		text += " of " + strconv.FormatFloat(n.Total, 'g', -1, 64)
	}
	if n.Message != "" {
		text += ": " + n.Message[:min(len(n.Message), 1000)]
	}
	tell(text)
}

// ErrNotReady reports a call to a server that is not ready.
var ErrNotReady = errors.New("the server is not running")

// Call calls a tool, whose progress is reported as text. The error is the server's own,
// or says that it did not answer.
func (s *Server) Call(ctx context.Context, tool string, args json.RawMessage, progress func(text string)) (*mcp.CallToolResult, error) {
	token, remove := s.progress.add(progress)
	defer remove()
	p := &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{}}
	p.SetProgressToken(token)
	return request(ctx, s, func(ctx context.Context, session *mcp.ClientSession) (*mcp.CallToolResult, error) {
		r, err := session.CallTool(ctx, p)
		if first, asks := addresses(err); asks {
			if err := s.askToOpen(ctx, first); err != nil {
				return nil, err
			}
			return session.CallTool(ctx, p)
		}
		return r, err
	})
}

// Read reads a resource.
func (s *Server) Read(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
	return request(ctx, s, func(ctx context.Context, session *mcp.ClientSession) (*mcp.ReadResourceResult, error) {
		return session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
}

// Prompt returns the messages of a prompt.
func (s *Server) Prompt(ctx context.Context, name string, args map[string]string) (*mcp.GetPromptResult, error) {
	return request(ctx, s, func(ctx context.Context, session *mcp.ClientSession) (*mcp.GetPromptResult, error) {
		return session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
	})
}

// request makes a request within the limit of a call.
func request[T any](ctx context.Context, s *Server, send func(context.Context, *mcp.ClientSession) (T, error)) (T, error) {
	s.mu.Lock()
	session, stop, err := s.session, s.stop, s.err
	s.mu.Unlock()
	var none T
	if session == nil {
		if err != nil {
			return none, fmt.Errorf("%w: %w", ErrNotReady, err)
		}
		return none, ErrNotReady
	}
	limit := stopwatch.Start(ctx, s.o.Call)
	defer limit.Stop()
	defer s.serving.begin(limit)()
	r, err := send(limit.Context, session)
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return none, context.Cause(ctx)
	case limit.Over():
		return none, fmt.Errorf("it did not answer within %s", s.o.Call)
	case errors.Is(err, oauth.ErrLogin):
		if _, lacks := errors.AsType[*oauth.LackingError](err); !lacks {
			stop(err) // the connection is of no use until the user signs in
		}
		return none, oauth.Needs(err, s.o.Name)
	case isBroken(err):
		return none, s.endReason(ctx, err)
	}
	return none, err
}

// isBroken reports whether an error means that the connection has ended.
func isBroken(err error) bool {
	return slices.ContainsFunc([]error{mcp.ErrConnectionClosed, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed}, func(broken error) bool { return errors.Is(err, broken) })
}

// maxEnding is the longest that a server takes to end.
const maxEnding = 2 * time.Second

// endReason returns why the connection ended while a request was open. It waits until the
// server's run has found out.
func (s *Server) endReason(ctx context.Context, err error) error {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	soon := time.NewTimer(maxEnding)
	defer soon.Stop()
	select {
	case <-over:
	case <-soon.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s := s.Snapshot(); s.Err != nil {
		return s.Err
	}
	return err
}
