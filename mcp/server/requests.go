package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/stopwatch"
)

// Requests answers what a server asks while a call to it runs. Its methods end when
// ctx does.
type Requests interface {
	// Sample has the model answer messages of the server.
	Sample(ctx context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error)
	// Elicit puts a question of the server to the user.
	Elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

// errUnasked refuses a request of a server that nothing was asked of.
var errUnasked = errors.New("emendo answers requests only while it waits for an answer of this server")

// serving has the calls that run, and the requests that the server makes meanwhile.
// The protocol does not tell which call a request belongs to, so none counts as late
// while the server waits for an answer.
type serving struct {
	mu      sync.Mutex
	calls   map[*stopwatch.Stopwatch]func() // with what resumes their time while requests wait
	waiting int                             // requests that are not answered
	now     *epoch                          // nil while no call runs
}

// epoch is the time from the first running call to the end of the last one.
type epoch struct {
	ctx       context.Context //nolint:containedctx // of the requests in it, which have no common caller
	end       context.CancelFunc
	answering sync.WaitGroup
}

// begin adds a call. Its end ends the requests of the server if it was the last one,
// and waits for them.
func (s *serving) begin(call *stopwatch.Stopwatch) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.calls, s.now = map[*stopwatch.Stopwatch]func(){}, &epoch{}
		s.now.ctx, s.now.end = context.WithCancel(context.Background())
	}
	s.calls[call] = nil
	if s.waiting > 0 {
		s.calls[call] = call.Pause()
	}
	return func() {
		s.mu.Lock()
		delete(s.calls, call)
		e := s.now
		last := len(s.calls) == 0
		if last {
			s.now = nil
		}
		s.mu.Unlock()
		if last {
			e.end()
			e.answering.Wait()
		}
	}
}

// answer answers a request of the server. Meanwhile the limits of its calls stand
// still.
func answer[P, R any](ctx context.Context, s *serving, p P, f func(context.Context, P) (R, error)) (none R, err error) {
	s.mu.Lock()
	e := s.now
	if e == nil {
		s.mu.Unlock()
		return none, errUnasked
	}
	e.answering.Add(1)
	if s.waiting++; s.waiting == 1 {
		for call := range s.calls {
			s.calls[call] = call.Pause()
		}
	}
	s.mu.Unlock()
	defer e.answering.Done()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.waiting--; s.waiting == 0 {
			for _, resume := range s.calls {
				resume()
			}
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	return f(ctx, p)
}

// sample and elicit are handlers of the client.
func (s *Server) sample(ctx context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return answer(ctx, &s.serving, r.Params, s.o.Requests.Sample)
}

func (s *Server) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return answer(ctx, &s.serving, r.Params, s.o.Requests.Elicit)
}

// maxAddresses limits the addresses that the user is asked to open for one call.
const maxAddresses = 3

// addresses returns the addresses that the user must open before a call can succeed, if
// that is what its error says.
func addresses(err error) (l []*mcp.ElicitParams, asks bool) {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code != mcp.CodeURLElicitationRequired {
		return nil, false
	}
	var data struct {
		Elicitations []*mcp.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(e.Data, &data) != nil || len(data.Elicitations) == 0 || len(data.Elicitations) > maxAddresses {
		return nil, false
	}
	for _, p := range data.Elicitations {
		if p == nil || p.Mode != "url" {
			return nil, false
		}
	}
	return data.Elicitations, true
}

// askToOpen asks the user to open addresses. The error says that they were not opened.
func (s *Server) askToOpen(ctx context.Context, l []*mcp.ElicitParams) error {
	if s.o.Requests == nil {
		return errors.New("it wants an address to be opened first, and nobody can be asked to")
	}
	for _, p := range l {
		r, err := s.elicit(ctx, &mcp.ElicitRequest{Params: p})
		switch {
		case err != nil:
			return fmt.Errorf("it wants an address to be opened first: %w", err)
		case r.Action != "accept":
			return errors.New("it wants an address to be opened first, which the user did not do")
		}
	}
	return nil
}
