package mcp_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/mcp/server"
)

// addLate adds a server that takes three seconds to start: longer than a request waits.
func (w *world) addLate() { w.addAfter("late", 3*time.Second) }

// addAfter adds a server that takes a time to start.
func (w *world) addAfter(name string, start time.Duration) {
	d := double("t")
	serve := d.Serve
	d.Serve = func(ctx context.Context, tr sdk.Transport) {
		<-time.After(start)
		serve(ctx, tr)
	}
	w.add(name, d)
}

// Where nobody watches, a slow server delays the first request, and its tools are in it.
func TestTheFirstRequestIsPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.options.Patient = true })
		w.addLate()
		w.add("hangs", &mcptest.Double{Serve: mcptest.Hanging})
		begun := time.Now()
		if got := w.names(t); !slices.Equal(got, []string{"mcp_late_t"}) || time.Since(begun) != server.DefaultStart {
			t.Errorf("the first request has %v after %s", got, time.Since(begun))
		}
	})
}

// A call of a tool whose server is still starting waits for it, others do not.
func TestAStartingServerIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.addLate()
		began := time.Now()
		w.names(t)
		for _, tt := range []struct {
			tool  string
			waits bool
			at    time.Duration // since the start, once it is answered
		}{
			{"mcp_other_t", false, time.Second},
			{"mcp_late_t", true, 3 * time.Second},
			{"mcp_late_t", false, 3 * time.Second},
		} {
			got := w.supply.Await(t.Context(), tt.tool)
			if at := time.Since(began); got != tt.waits || at != tt.at {
				t.Errorf("%s: waited %t, until %s", tt.tool, got, at)
			}
		}
		if got := w.names(t); !slices.Equal(got, []string{"mcp_late_t"}) {
			t.Errorf("then the tools are %v", got)
		}
	})
}

func TestToolsOfALateServerAreInALaterRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.addLate()
		begun := time.Now()
		if got := w.names(t); len(got) > 0 || time.Since(begun) != time.Second {
			t.Errorf("the first request has %v after %s", got, time.Since(begun))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := w.names(t); !slices.Equal(got, []string{"mcp_late_t"}) || len(w.notices) > 0 {
			t.Errorf("the later request has %v; notices: %q", got, w.notices)
		}
	})
}
