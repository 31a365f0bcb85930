package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of what one server offers.
const (
	maxListed = 512 // tools, prompts or resources
	maxPages  = 100 // of a list
)

// listEvery is the least time between two listings: a server that always reports
// changes is not asked all the time.
const listEvery = time.Second

// Offered has the offers of a ready server.
type Offered struct {
	Info         *mcp.Implementation
	Instructions string
	Tools        []*mcp.Tool
	Prompts      []*mcp.Prompt
	Resources    []*mcp.Resource
	Dropped      int // tools, prompts and resources beyond the limit
}

// list asks the server what it offers, and makes it ready. Tools have their schemas as the
// server wrote them.
func (s *Server) list(ctx context.Context, session *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.Start, fmt.Errorf("%w: it did not list its tools within %s", errLate, s.o.Start))
	defer cancel()
	var l Offered
	var err error
	caps := &mcp.ServerCapabilities{}
	if r := session.InitializeResult(); r != nil {
		l.Info, l.Instructions, caps = r.ServerInfo, r.Instructions, cmp.Or(r.Capabilities, caps)
	}
	if caps.Tools != nil {
		l.Tools, err = collect(&l.Dropped, "tools", func(cursor string) ([]*mcp.Tool, string, error) {
			r, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Tools, r.NextCursor, nil
		})
		for i, t := range l.Tools {
			l.Tools[i] = s.written.Restored(t)
		}
	}
	if err == nil && caps.Prompts != nil {
		l.Prompts, err = collect(&l.Dropped, "prompts", func(cursor string) ([]*mcp.Prompt, string, error) {
			r, err := session.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Prompts, r.NextCursor, nil
		})
	}
	if err == nil && caps.Resources != nil {
		l.Resources, err = collect(&l.Dropped, "resources", func(cursor string) ([]*mcp.Resource, string, error) {
			r, err := session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Resources, r.NextCursor, nil
		})
	}
	if err != nil {
		return causeOf(ctx, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.offered, s.state = session, l, Ready
	return nil
}

// collect puts the pages of a kind's list together, and counts what is beyond the limit.
// Lists that do not end are cut. A server that does not know the method has nothing to list.
func collect[T any](dropped *int, kind string, page func(cursor string) (l []*T, next string, err error)) (all []*T, err error) {
	cursor := ""
	for range maxPages {
		l, next, err := page(cursor)
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code == jsonrpc.CodeMethodNotFound {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("its %s cannot be listed: %w", kind, err)
		}
		all = append(all, slices.DeleteFunc(l, func(x *T) bool { return x == nil })...)
		if next == "" || next == cursor || len(all) > maxListed {
			break
		}
		cursor = next
	}
	listed := min(len(all), maxListed)
	*dropped += len(all) - listed
	return all[:listed:listed], nil
}

// follow lists again when a list changes, until the connection ends. The error says why it
// did.
func (s *Server) follow(ctx context.Context, session *mcp.ClientSession, changed <-chan struct{}) error {
	ended := make(chan error, 1)
	s.running.Go(func() { ended <- session.Wait() }) // ends with the session, which run closes
	due := changed
	var pause <-chan time.Time
	for {
		select {
		case err := <-ended:
			if err == nil || isBroken(err) {
				err = errEnded
			}
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-due:
			if err := s.list(ctx, session); err != nil {
				return err
			}
			due, pause = nil, time.After(listEvery)
		case <-pause:
			due = changed
		}
	}
}
