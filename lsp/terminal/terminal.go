// Package terminal serves terminals that the client draws: those in which the user starts
// programs, and views of the agent's commands in the background. It sends what programs write,
// and passes on what is typed. It keeps neither, and knows nothing of models.
package terminal

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Limits of terminals.
const (
	maxOpen  = 32       // at once
	maxSize  = 10_000   // rows, or columns
	maxTyped = 1 << 20  // bytes that a program has not read
	maxData  = 64 << 10 // bytes of one message
)

// The size of a terminal whose client does not say one.
const (
	usualRows    = 24
	usualColumns = 80
)

// Terminals are the handlers of terminals, and those that are open.
type Terminals struct {
	c *client.Client

	mu       sync.Mutex
	open     map[string]*terminal
	starting int // are not in open yet
	closed   bool
}

// New returns the handlers.
func New(c *client.Client) *Terminals { return &Terminals{c: c, open: map[string]*terminal{}} }

// terminal is an open one.
type terminal struct {
	id      string
	session string // empty: none
	c       *client.Client
	life    context.Context // ends when it is closed
	end     context.CancelFunc

	program client.Terminal // nil for a command in the background
	typed   *typed          // for program
}

type openParams struct {
	SessionID string `json:"sessionId"`
	PID       int    `json:"pid"` // of a command of the session in the background
	Command   string `json:"command"`
	Cwd       string `json:"cwd"`
	Rows      int    `json:"rows"`
	Columns   int    `json:"columns"`
}

type opened struct {
	TerminalID string `json:"terminalId"`
}

// Open answers emendo/terminal/open. What the program writes is sent after the answer.
func (t *Terminals) Open(ctx context.Context, p openParams) (any, error) {
	if !t.c.Can.Terminals {
		return nil, client.Invalid("the client did not declare terminals")
	}
	if p.Rows == 0 {
		p.Rows = usualRows
	}
	if p.Columns == 0 {
		p.Columns = usualColumns
	}
	if err := checkSize(p.Rows, p.Columns); err != nil {
		return nil, err
	}
	if err := t.reserve(); err != nil {
		return nil, err
	}
	x := &terminal{id: "terminal-" + rand.Text(), session: p.SessionID, c: t.c}
	x.life, x.end = context.WithCancel(t.c.Life())
	run, err := x.start(ctx, p)
	if err = t.add(x, err); err != nil {
		x.close()
		return nil, err
	}
	return rpc.Then{Result: opened{x.id}, Do: func() {
		begun := t.c.Go(func() {
			defer t.remove(x)
			defer x.close()
			run()
		})
		if !begun { // the connection has ended
			x.close()
		}
	}}, nil
}

// start starts what runs in the terminal, and returns what sends its output.
func (x *terminal) start(ctx context.Context, p openParams) (run func(), err error) {
	if p.PID != 0 {
		return x.watch(ctx, p)
	}
	dir, err := x.folder(ctx, p)
	if err != nil {
		return nil, err
	}
	h, err := x.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	x.program, err = h.Program.StartTerminal(ctx, client.TerminalProgram{Command: p.Command, Dir: dir, Rows: uint16(p.Rows), Columns: uint16(p.Columns)})
	if err != nil {
		return nil, client.Unable("the terminal was not opened in %s: %v", dir, err)
	}
	x.typed = newTyped()
	return x.serve, nil
}

// folder returns where a program is to run: in the session's folder, or in the first of the
// workspace.
func (x *terminal) folder(ctx context.Context, p openParams) (string, error) {
	switch {
	case p.Cwd != "" && (!filepath.IsAbs(p.Cwd) || !paths.IsFolder(p.Cwd)):
		return "", client.Invalid("invalid params: cwd: %s is no folder", p.Cwd)
	case p.Cwd != "":
		return p.Cwd, nil
	case p.SessionID != "":
		ses, err := x.c.Host.Session(ctx, p.SessionID)
		if err != nil {
			return "", err
		}
		return ses.State.Started.Cwd, nil
	}
	if roots := x.c.Folders.Roots(); len(roots) > 0 {
		return roots[0], nil
	}
	return "", client.Unable("there is no folder to open a terminal in: open one, or name it")
}

// serve sends what a program writes until it has ended or the terminal is closed.
func (x *terminal) serve() {
	x.c.Go(func() { x.typed.passOn(x.program) }) // ends with close
	out := &output{to: x}
	b := make([]byte, maxData)
	for {
		n, err := x.program.Read(b)
		if out.write(b[:n]) != nil {
			return
		}
		if err != nil {
			break
		}
	}
	code, signal := x.program.Wait()
	e := exit{Code: &code, Text: phrase.Say("terminal.exit", "code", code)}
	if signal != "" {
		e = exit{Signal: signal, Text: phrase.Say("terminal.signal", "signal", signal)}
	}
	_ = out.end(e) // the connection has ended
}

// close ends the program, and the view of a command in the background, which continues.
func (x *terminal) close() {
	x.end()
	if x.program != nil {
		x.typed.close()
		if err := x.program.Close(); err != nil {
			x.c.Log.Warn("a terminal was not closed", "error", err)
		}
	}
}

type writeParams struct {
	TerminalID string `json:"terminalId"`
	Data       string `json:"data"`
}

// Write answers emendo/terminal/write. It does not wait until the program has read it.
func (t *Terminals) Write(_ context.Context, p writeParams) (rpc.Work, error) {
	x, err := t.find(p.TerminalID)
	switch {
	case err != nil:
		return nil, err
	case x.program == nil:
		return nil, client.Unable("a command in the background has no input: nothing can be typed in its terminal")
	case !x.typed.add(p.Data):
		return nil, client.Unable("the program does not read what is typed: more than %d bytes wait for it", maxTyped)
	}
	return client.Answered(nil), nil
}

type resizeParams struct {
	TerminalID string `json:"terminalId"`
	Rows       int    `json:"rows"`
	Columns    int    `json:"columns"`
}

// Resize answers emendo/terminal/resize. A command in the background keeps the size that it has
// for the model.
func (t *Terminals) Resize(_ context.Context, p resizeParams) (rpc.Work, error) {
	x, err := t.find(p.TerminalID)
	if err == nil {
		err = checkSize(p.Rows, p.Columns)
	}
	if err == nil && x.program != nil {
		err = x.program.Resize(uint16(p.Rows), uint16(p.Columns))
	}
	if err != nil {
		return nil, err
	}
	return client.Answered(nil), nil
}

func checkSize(rows, columns int) error {
	if rows < 1 || rows > maxSize || columns < 1 || columns > maxSize {
		return client.Invalid("invalid params: a terminal cannot have %d rows and %d columns", rows, columns)
	}
	return nil
}

type closeParams struct {
	TerminalID string `json:"terminalId"`
}

// CloseOne answers emendo/terminal/close, when all that ran in the terminal has ended.
func (t *Terminals) CloseOne(_ context.Context, p closeParams) (any, error) {
	x, err := t.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	t.remove(x)
	x.close()
	return nil, nil
}

// Close closes all terminals, at the end of the connection.
func (t *Terminals) Close() {
	t.mu.Lock()
	t.closed = true
	var closing sync.WaitGroup
	for _, x := range t.open {
		closing.Go(x.close)
	}
	t.mu.Unlock()
	closing.Wait()
}

// reserve makes sure that one more terminal may be open. The caller adds one.
func (t *Terminals) reserve() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open)+t.starting >= maxOpen {
		return client.Unable("%d terminals are open: close one first", maxOpen)
	}
	t.starting++
	return nil
}

// add adds a terminal to those that are open, unless it has not started because of err.
func (t *Terminals) add(x *terminal, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting--
	switch {
	case err != nil:
		return err
	case t.closed:
		return rpc.ErrClosed
	}
	t.open[x.id] = x
	return nil
}

func (t *Terminals) remove(x *terminal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, x.id)
}

// find returns the open terminal with an ID.
func (t *Terminals) find(id string) (*terminal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.open[id]; x != nil {
		return x, nil
	}
	return nil, client.Invalid("there is no terminal %q: it was closed, or its program has ended", id)
}
