package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/mcp/server"
)

// newDouble returns a server with these tools. Each answers with its name, except
// "slow", which waits until it is cancelled.
func newDouble(tools ...string) (*mcp.Server, *mcptest.Double) {
	s := mcp.NewServer(&mcp.Implementation{Name: "double", Version: "1"}, &mcp.ServerOptions{Instructions: "Be gentle."})
	for _, name := range tools {
		addTool(s, name, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name}}}, nil
		})
	}
	return s, &mcptest.Double{Serve: mcptest.Serving(s)}
}

func addTool(s *mcp.Server, name string, h mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, h)
}

// start starts a server and waits until it is ready or has failed.
func start(s *server.Server) server.Snapshot {
	s.Start()
	<-s.Settled()
	return s.Snapshot()
}

func toolNames(s server.Snapshot) (l []string) {
	for _, t := range s.Tools {
		l = append(l, t.Name)
	}
	slices.Sort(l)
	return l
}

func nothing(string) {}

func TestServerIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, d := newDouble("a", "b")
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		if got := s.Snapshot().State; got != server.Idle {
			t.Errorf("a new server is %s", got)
		}
		got := start(s)
		if got.State != server.Ready || got.Err != nil || got.Instructions != "Be gentle." || !slices.Equal(toolNames(got), []string{"a", "b"}) {
			t.Fatalf("got %+v", got)
		}
		r, err := s.Call(t.Context(), "b", json.RawMessage(`{}`), nothing)
		if err != nil || r.Content[0].(*mcp.TextContent).Text != "b" {
			t.Errorf("the call returned %v, %v", r, err)
		}
		if s.Startable() {
			t.Error("it would be started again")
		}
	})
}

func TestChangedToolsAreListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of, d := newDouble("a")
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		start(s)
		for i := range 50 { // many at once are listed few times
			addTool(of, fmt.Sprint("more", i), nil)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := toolNames(s.Snapshot()); len(got) != 51 {
			t.Errorf("it has the tools %v", got)
		}
	})
}

func TestServerThatHangsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &mcptest.Double{Serve: mcptest.Hanging}
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		begun := time.Now()
		got := start(s)
		if took := time.Since(begun); got.State != server.Failed || got.Err == nil || !strings.Contains(got.Err.Error(), "did not answer within 10s") || took >= 10*time.Second+time.Millisecond {
			t.Errorf("after %s it is %s: %v", took, got.State, got.Err)
		}
	})
}

// A server that fails is started again after pauses that grow, five times.
func TestServerIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, d := newDouble("a")
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		for i := range 6 {
			if got := start(s); got.State != server.Ready {
				t.Fatalf("start %d: %s, %v", i, got.State, got.Err)
			}
			d.Kill()
			synctest.Wait()
			got := s.Snapshot()
			if got.State != server.Failed || !errors.Is(got.Err, mcptest.ErrKilled) || got.GivenUp != (i == 5) {
				t.Fatalf("failure %d: %s, %v, given up: %t", i, got.State, got.Err, got.GivenUp)
			}
			if tools := toolNames(got); len(tools) == 0 != got.GivenUp {
				t.Errorf("failure %d leaves the tools %v", i, tools)
			}
			if s.Startable() {
				t.Errorf("failure %d: it would be started again at once", i)
			}
			time.Sleep(time.Second<<i - time.Millisecond)
			if s.Startable() {
				t.Errorf("failure %d: it would be started again too early", i)
			}
			time.Sleep(time.Millisecond)
			if s.Startable() == got.GivenUp {
				t.Errorf("failure %d: due is %t after the pause", i, s.Startable())
			}
		}
		if s.Start(); d.Links() != 6 {
			t.Errorf("it was started %d times", d.Links())
		}
	})
}

func TestCallEndsWithItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of, d := newDouble()
		addTool(of, "die", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			d.Kill()
			<-ctx.Done()
			return nil, ctx.Err()
		})
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		start(s)
		if _, err := s.Call(t.Context(), "die", nil, nothing); !errors.Is(err, mcptest.ErrKilled) {
			t.Errorf("the call failed with %v", err)
		}
		if _, err := s.Call(t.Context(), "die", nil, nothing); !errors.Is(err, server.ErrNotReady) || !errors.Is(err, mcptest.ErrKilled) {
			t.Errorf("the next call failed with %v", err)
		}
	})
}

// The server hears of a call that is cancelled or takes too long, and serves the next.
func TestCallsThatAreNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of, d := newDouble("quick")
		cancelled := make(chan struct{}, 2)
		addTool(of, "slow", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			cancelled <- struct{}{}
			return nil, ctx.Err()
		})
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		start(s)
		if _, err := s.Call(t.Context(), "slow", nil, nothing); err == nil || err.Error() != "it did not answer within 1m0s" {
			t.Errorf("the slow call failed with %v", err)
		}
		<-cancelled
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Call(ctx, "slow", nil, nothing); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cancelled call failed with %v", err)
		}
		<-cancelled
		if _, err := s.Call(t.Context(), "quick", nil, nothing); err != nil {
			t.Errorf("the next call failed with %v", err)
		}
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of, d := newDouble()
		read := make(chan struct{}, 2)
		addTool(of, "work", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for i := range 2 {
				if i > 0 {
					<-read // messages that come with the result may be dropped
				}
				err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 2, Message: "at it"})
				if err != nil {
					t.Error(err)
				}
			}
			<-read
			return &mcp.CallToolResult{}, nil
		})
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		start(s)
		var got []string
		if _, err := s.Call(t.Context(), "work", nil, func(text string) {
			got = append(got, text)
			read <- struct{}{}
		}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"1 of 2: at it", "2 of 2: at it"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestTooManyTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		for i := range 700 {
			names = append(names, fmt.Sprint("t", i))
		}
		_, d := newDouble(names...)
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		if got := start(s); len(got.Tools) != 512 || got.Dropped != 188 {
			t.Errorf("%d tools, %d dropped", len(got.Tools), got.Dropped)
		}
	})
}

// Lists that do not end, or have more than anyone needs, are cut, and the server is used.
func TestListsThatDoNotEnd(t *testing.T) {
	for _, c := range []struct {
		name                   string
		each                   int // tools of one page
		next                   func(asked int) string
		asked, listed, dropped int
	}{
		{"empty pages with one cursor", 0, func(int) string { return "x" }, 2, 0, 0},
		{"the same page for each cursor", 3, func(int) string { return "x" }, 2, 6, 0},
		{"empty pages with new cursors", 0, strconv.Itoa, 100, 0, 0},
		{"many pages", 100, strconv.Itoa, 6, 512, 88},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				of, d := newDouble("a")
				asked := 0
				of.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
						if method != "tools/list" {
							return next(ctx, method, r)
						}
						if asked++; asked > 1_000 {
							return nil, errors.New("it is asked without end")
						}
						page := &mcp.ListToolsResult{Tools: []*mcp.Tool{}, NextCursor: c.next(asked)}
						for i := range c.each {
							page.Tools = append(page.Tools, &mcp.Tool{Name: fmt.Sprint("t", i), InputSchema: map[string]any{"type": "object"}})
						}
						return page, nil
					}
				})
				s := server.New(server.Options{Name: "x", Dial: d.Dial})
				defer s.Close()
				got := start(s)
				if !got.Ready() || asked != c.asked || len(got.Tools) != c.listed || got.Dropped != c.dropped {
					t.Errorf("it is %s, %v, asked %d times, with %d tools and %d dropped", got.State, got.Err, asked, len(got.Tools), got.Dropped)
				}
			})
		})
	}
}

func TestServerThatCannotBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &mcptest.Double{Refuses: errors.New("no such program")}
		s := server.New(server.Options{Name: "x", Dial: d.Dial})
		defer s.Close()
		if got := start(s); got.State != server.Failed || got.Err == nil || got.Err.Error() != "no such program" {
			t.Errorf("got %+v", got)
		}
	})
}
