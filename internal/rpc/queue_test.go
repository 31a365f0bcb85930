package rpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/internal/rpc"
)

func TestAPeerThatDoesNotReadMakesWritersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10_000
		p := connectDeaf(t, handler{}, rpc.Options{MaxQueue: limit})
		text := strings.Repeat("x", 100)
		var mu sync.Mutex
		sent := 0
		var writers sync.WaitGroup
		ctx, stop := context.WithCancelCause(t.Context())
		for range 4 {
			writers.Go(func() {
				for p.conn.Notify(ctx, "n", text) == nil {
					mu.Lock()
					sent++
					mu.Unlock()
				}
			})
		}
		synctest.Wait() // all writers wait for room
		mu.Lock()
		if most := limit / 100; sent == 0 || sent > most {
			t.Errorf("%d messages were taken, want some and at most %d", sent, most)
		}
		mu.Unlock()

		why := errors.New("no more")
		if err := p.conn.Drain(cancelled(t.Context(), why)); !errors.Is(err, why) {
			t.Errorf("Drain returned %v, want %v", err, why)
		}
		if err := p.conn.Call(cancelled(t.Context(), why), "c", nil, nil); !errors.Is(err, why) {
			t.Errorf("Call returned %v, want %v", err, why)
		}
		stop(why)
		writers.Wait()
		if err := p.conn.Notify(ctx, "n", text); !errors.Is(err, why) {
			t.Errorf("Notify returned %v, want %v", err, why)
		}

		go p.listen()
		if err := p.conn.Drain(t.Context()); err != nil {
			t.Errorf("Drain returned %v", err)
		}
		for range sent {
			if m := p.next(); m.Method != "n" {
				t.Fatalf("got %s", m)
			}
		}
		p.wantEcho()
		_ = p.w.Close()
		<-p.conn.Done()
		for range p.in {
			t.Error("something was sent that nobody asked for")
		}
	})
}

// cancelled returns a context that ends soon.
func cancelled(ctx context.Context, why error) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	time.AfterFunc(time.Millisecond, func() { cancel(why) })
	return ctx
}

// gate is a writer that counts writes and lets them through one by one.
type gate struct {
	open   chan struct{}
	writes chan int // sizes
}

func (g gate) Write(b []byte) (int, error) {
	g.writes <- len(b)
	<-g.open
	return len(b), nil
}

func TestMessagesLeaveAtOnceAndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		g := gate{open: make(chan struct{}), writes: make(chan int, 10)}
		c := rpc.NewConn(in, g, handler{}, rpc.Options{Framing: rpc.Newline})
		go func() { _ = c.Run(t.Context()) }()
		start := time.Now()
		for range 101 {
			if err := c.Notify(t.Context(), "n", nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if n := len(g.writes); n != 1 {
			t.Errorf("%d writes were begun, want 1", n)
		}
		one := <-g.writes
		g.open <- struct{}{}
		if all := <-g.writes; all != 100*one {
			t.Errorf("the second write has %d bytes, want %d", all, 100*one)
		}
		g.open <- struct{}{}
		if err := c.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("writing waited %v for a clock", took)
		}
		_ = out.Close()
		<-c.Done()
	})
}

func TestALargeMessageKeepsItsPlaceInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connectDeaf(t, handler{}, rpc.Options{MaxQueue: 1_000})
		var writers sync.WaitGroup
		for _, m := range []struct {
			method string
			size   int
		}{{"first", 500}, {"large", 5_000}, {"small", 1}, {"last", 1}} {
			writers.Go(func() {
				if err := p.conn.Notify(t.Context(), m.method, strings.Repeat("x", m.size)); err != nil {
					t.Errorf("%s: %v", m.method, err)
				}
			})
			synctest.Wait() // it has gone, or stands in the line
		}
		go p.listen()
		writers.Wait()
		for _, want := range []string{"first", "large", "small", "last"} {
			if got := p.next().Method; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
}

func TestACancelledRequestIsAnsweredOnceThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connectDeaf(t, blocker(make(chan string, 1), make(chan string, 1)), rpc.Options{MaxQueue: 100})
		if err := p.conn.Notify(t.Context(), "n", strings.Repeat("x", 100)); err != nil {
			t.Fatal(err)
		}
		p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"wait"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
		synctest.Wait() // the answer stands in the line
		go p.listen()
		if m := p.next(); m.Method != "n" {
			t.Errorf("got %s, want n", m)
		}
		p.want(`1 error -32800`)
	})
}
