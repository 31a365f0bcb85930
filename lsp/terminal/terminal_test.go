package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// program is a program in a terminal that a test writes for.
type program struct {
	writes *io.PipeReader
	typed  chan string
	size   chan string
	read   atomic.Int64 // bytes that were taken from it
	closed atomic.Bool
	code   int
}

func (p *program) Read(b []byte) (int, error) {
	n, err := p.writes.Read(b)
	p.read.Add(int64(n))
	return n, err
}

func (p *program) Write(b []byte) (int, error) {
	p.typed <- string(b)
	return len(b), nil
}

func (p *program) Resize(rows, columns uint16) error {
	p.size <- fmt.Sprintf("%d %d", rows, columns)
	return nil
}

func (p *program) Wait() (int, string) { return p.code, "" }

func (p *program) Close() error {
	p.closed.Store(true)
	return p.writes.Close()
}

// desk is a client with a terminal, and the server's side of it. It implements
// [client.Server] and both handlers.
type desk struct {
	t         *testing.T
	terminals *Terminals
	server    *client.Client
	editor    *rpc.Conn
	program   *program
	into      *io.PipeWriter // what the program writes
	asked     chan client.TerminalProgram

	mu    sync.Mutex
	shown strings.Builder
	exits []exit
	reads chan struct{} // empty while the editor reads nothing
}

func (*desk) FocusMoved()     {}
func (*desk) FoldersChanged() {}
func (*desk) HostTried()      {}

func (d *desk) MakeHost() (*client.Host, error) {
	return &client.Host{Program: startsTerminals{d: d}}, nil
}

type startsTerminals struct {
	lsptest.Program
	d *desk
}

func (s startsTerminals) StartTerminal(_ context.Context, p client.TerminalProgram) (client.Terminal, error) {
	s.d.asked <- p
	return s.d.program, nil
}

// Request serves the editor's requests.
func (d *desk) Request(ctx context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	return map[string]rpc.Prepare{
		"open": rpc.Later(d.terminals.Open), "write": rpc.InOrder(d.terminals.Write),
		"resize": rpc.InOrder(d.terminals.Resize), "close": rpc.Later(d.terminals.CloseOne),
	}[strings.TrimPrefix(method, "emendo/terminal/")](ctx, params)
}

// Notification is called in the editor.
func (d *desk) Notification(_ context.Context, method string, params json.RawMessage) error {
	var u update
	if err := json.Unmarshal(params, &u); err != nil || method != "emendo/session/update" {
		return fmt.Errorf("%s: %w", method, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown.WriteString(u.Update.Data)
	if u.Update.Exit != nil {
		d.exits = append(d.exits, *u.Update.Exit)
	}
	return nil
}

// slow reads nothing while reads is empty.
type slow struct {
	io.Reader
	d *desk
}

func (s slow) Read(b []byte) (int, error) {
	<-s.d.reads
	s.d.reads <- struct{}{}
	return s.Reader.Read(b)
}

// seat runs f with an editor that declared terminals and a server, in a bubble.
func seat(t *testing.T, f func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, asked: make(chan client.TerminalProgram, maxOpen+1), reads: make(chan struct{}, 1)}
		d.reads <- struct{}{}
		toServer, fromEditor := io.Pipe()
		toEditor, fromServer := io.Pipe()
		conn := rpc.NewConn(toServer, fromServer, d, rpc.Options{})
		d.server = client.New(conn, slog.New(slog.DiscardHandler), d, t.TempDir())
		d.server.Can.Terminals = true
		d.terminals = New(d.server)
		d.renew()
		d.editor = rpc.NewConn(slow{toEditor, d}, fromEditor, d, rpc.Options{})
		for _, c := range []*rpc.Conn{conn, d.editor} {
			go func() { _ = c.Run(t.Context()) }()
		}
		f(d)
		_ = d.editor.Close()
		<-d.editor.Done()
		<-conn.Done()
		d.terminals.Close()
		d.server.Wait()
	})
}

// renew makes another program for the next terminal.
func (d *desk) renew() {
	r, w := io.Pipe()
	d.program, d.into = &program{writes: r, typed: make(chan string, 100), size: make(chan string, 1)}, w
}

func (d *desk) call(method string, params any, result any) error {
	return d.editor.Call(d.t.Context(), "emendo/terminal/"+method, params, result)
}

// open opens a terminal.
func (d *desk) open(p openParams) string {
	d.t.Helper()
	var o opened
	if err := d.call("open", p, &o); err != nil || o.TerminalID == "" {
		d.t.Fatalf("got %+v, %v", o, err)
	}
	return o.TerminalID
}

// sees returns what the user sees once all is quiet.
func (d *desk) sees() (string, []exit) {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.String(), d.exits
}

func (d *desk) wantRefused(code int, method string, params any) {
	d.t.Helper()
	var refused *rpc.Error
	if err := d.call(method, params, nil); !errors.As(err, &refused) || int(refused.Code) != code {
		d.t.Errorf("%s %+v: %v, want the code %d", method, params, err, code)
	}
}

func TestAProgramInATerminal(t *testing.T) {
	seat(t, func(d *desk) {
		dir := t.TempDir()
		id := d.open(openParams{Command: "make", Cwd: dir, Rows: 7, Columns: 70})
		if p := <-d.asked; p != (client.TerminalProgram{Command: "make", Dir: dir, Rows: 7, Columns: 70}) {
			t.Errorf("started %+v", p)
		}
		for _, s := range []string{"gr", "\xc3", "\xbc", "n \xe2\x82", "\xac \xff\xfe", "\xe2\x82"} { // grün €, and bytes that are no text
			if _, err := io.WriteString(d.into, s); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range []string{"l", "s", "\r"} {
			if err := d.call("write", writeParams{id, s}, nil); err != nil {
				t.Error(err)
			}
		}
		if err := d.call("resize", resizeParams{id, 5, 50}, nil); err != nil || <-d.program.size != "5 50" {
			t.Error("it has another size", err)
		}
		synctest.Wait()
		typed := ""
		for len(d.program.typed) > 0 {
			typed += <-d.program.typed
		}
		if typed != "ls\r" {
			t.Errorf("the program read %q", typed)
		}
		d.program.code = 3
		_ = d.into.Close()
		text, exits := d.sees()
		if want := "grün € \ufffd\ufffd\ufffd\ufffd"; text != want {
			t.Errorf("the user sees %q, want %q", text, want)
		}
		if len(exits) != 1 || exits[0].Code == nil || *exits[0].Code != 3 || exits[0].Text.Text != "The program has ended: exit 3" {
			t.Errorf("it ended so: %+v", exits)
		}
		if !d.program.closed.Load() {
			t.Error("what it has left behind runs on")
		}
		d.wantRefused(int(rpc.InvalidParams), "write", writeParams{id, "x"})
	})
}

func TestRequestsThatAreRefused(t *testing.T) {
	seat(t, func(d *desk) {
		invalid := int(rpc.InvalidParams)
		d.wantRefused(invalid, "write", writeParams{"x", "y"})
		d.wantRefused(invalid, "resize", resizeParams{"x", 1, 1})
		d.wantRefused(invalid, "close", closeParams{"x"})
		d.wantRefused(invalid, "open", openParams{Rows: -1})
		d.wantRefused(invalid, "open", openParams{Cwd: "relative"})
		d.wantRefused(invalid, "open", openParams{Cwd: "/no/such/folder"})
		d.wantRefused(invalid, "open", openParams{PID: 7}) // of no session
		id := d.open(openParams{})
		d.wantRefused(invalid, "resize", resizeParams{id, 0, 80})
		d.wantRefused(int(rpc.RequestFailed), "write", writeParams{id, strings.Repeat("x", maxTyped+1)})
		d.server.Can.Terminals = false
		d.wantRefused(invalid, "open", openParams{})
	})
}

func TestTooManyTerminals(t *testing.T) {
	seat(t, func(d *desk) {
		for range maxOpen {
			d.open(openParams{})
			d.renew()
		}
		begun := len(d.asked)
		d.wantRefused(int(rpc.RequestFailed), "open", openParams{})
		if len(d.asked) != begun {
			t.Error("the program that was one too many was started")
		}
	})
}

func TestTerminalsEndWhenTheyAreClosed(t *testing.T) {
	seat(t, func(d *desk) {
		id := d.open(openParams{})
		first := d.program
		if err := d.call("close", closeParams{id}, nil); err != nil || !first.closed.Load() {
			t.Error("it was not closed", err)
		}
		if _, exits := d.sees(); len(exits) != 0 {
			t.Errorf("the client hears of what it has closed: %+v", exits)
		}
		d.renew()
		d.open(openParams{})
		_ = d.editor.Close() // as when the editor dies
		<-d.server.Done()
		d.terminals.Close()
		if !d.program.closed.Load() {
			t.Error("it outlives the connection")
		}
	})
}

// A program that writes more than the client reads waits: the server does not keep it.
func TestAClientThatReadsNothing(t *testing.T) {
	seat(t, func(d *desk) {
		const all = 4 << 20
		d.open(openParams{})
		<-d.reads
		written := make(chan int)
		go func() {
			piece, n := []byte(strings.Repeat("x", 64<<10)), 0
			for n < all {
				m, err := d.into.Write(piece)
				if n += m; err != nil {
					break
				}
			}
			_ = d.into.Close()
			written <- n
		}()
		synctest.Wait()
		if n := d.program.read.Load(); n == 0 || n > 1<<20 {
			t.Errorf("%d bytes were taken from the program", n)
		}
		d.reads <- struct{}{}
		if n := <-written; n != all {
			t.Errorf("the program could write %d bytes", n)
		}
		if text, exits := d.sees(); len(text) != all || len(exits) != 1 {
			t.Errorf("%d bytes came, and %d ends", len(text), len(exits))
		}
	})
}
