// Package stdio runs an MCP server as a process and talks to it over its standard
// input and output. A server that prints something else, floods or does not read is
// ended; it costs nothing but itself. It does not know what the messages mean.
package stdio

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/mcp/schema"
)

const (
	grace     = 500 * time.Millisecond // between asking a server to end and killing it
	maxUnread = 10 * time.Second       // that a server may take to read a message
	maxTail   = 4 << 10                // bytes kept of its standard error
	maxLogged = 2000                   // bytes of one line of it in the log
)

// A Process is a running server.
type Process struct {
	process sandbox.Process
	lines   *lines
	running sync.WaitGroup // the goroutines of the process
	ended   chan struct{}
	exit    sandbox.Exit  // valid once ended is closed
	kill    chan struct{} // closed when the process is to end
	once    sync.Once     // closes kill

	mu     sync.Mutex
	reason error  // why emendo ended it
	tail   []byte // the last output on standard error
}

// Start starts a server. log gets each line of its standard error; nil: nothing does.
func Start(ctx context.Context, spawner sandbox.Spawner, c sandbox.Command, log *slog.Logger) (*Process, error) {
	c.Streams = sandbox.Separate
	started, err := spawner.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	p := &Process{process: started, lines: newLines(started.Output()), ended: make(chan struct{}), kill: make(chan struct{})}
	p.running.Go(func() { p.readErrors(log) })
	p.running.Go(func() {
		p.exit = started.Wait()
		close(p.ended)
	})
	p.running.Go(func() {
		<-p.kill
		started.Kill(grace)
	})
	return p, nil
}

// Transport returns the messages of the process, once. Schemas of tools are kept in w.
func (p *Process) Transport(w *schema.Written) mcp.Transport {
	p.lines.written = w
	return &mcp.IOTransport{Reader: output{p}, Writer: input{p}, MaxLineLength: maxMessage + 1<<20}
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Close ends the process with all that it has started, and waits for that.
func (p *Process) Close() {
	p.end()
	p.running.Wait()
	_ = p.process.Output().Close() // nobody reads it any more
}

// Reason returns why the process cannot be used, as a clause after its name; nil if
// nothing is known against it.
func (p *Process) Reason() error {
	p.mu.Lock()
	reason, tail := p.reason, lastLine(p.tail)
	p.mu.Unlock()
	if reason != nil {
		return reason
	}
	asked := false
	select {
	case <-p.kill:
		asked = true
	default:
	}
	select {
	case <-p.ended:
	default:
		return nil
	}
	text := fmt.Sprintf("it exited with code %d", p.exit.Code)
	if asked && p.exit.Signal == "terminated" && tail == "" {
		return nil // emendo sent it
	}
	if p.exit.Signal != "" {
		text = "it was ended by the signal " + p.exit.Signal
	}
	if tail != "" {
		text += ": " + tail
	}
	return errors.New(text)
}

// lastLine returns the last line that names an error, or else the last one.
func lastLine(text []byte) string {
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(text), "\uFFFD"), func(r rune) bool { return r == '\n' || r == '\r' })
	last := ""
	for _, l := range slices.Backward(lines) {
		l = strings.TrimSpace(l)
		last = cmp.Or(last, l)
		if strings.Contains(strings.ToLower(l), "error") {
			return l
		}
	}
	return last
}

// endWith ends the process for a reason. It does not wait, since the reader calls it.
func (p *Process) endWith(reason error) {
	p.mu.Lock()
	if p.reason == nil {
		p.reason = reason
	}
	p.mu.Unlock()
	p.end()
}

// end has the process ended, without waiting for that.
func (p *Process) end() { p.once.Do(func() { close(p.kill) }) }

func (p *Process) readErrors(log *slog.Logger) {
	errs := p.process.Errors()
	defer errs.Close()
	in := bufio.NewReaderSize(io.TeeReader(errs, errorOutput{p}), maxTail)
	for {
		line, err := in.ReadSlice('\n') // or the beginning of a longer one
		if log != nil && len(line) > 0 {
			log.Debug("standard error of an MCP server", "line", strings.TrimRight(string(line[:min(len(line), maxLogged)]), "\r\n"))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// errorOutput keeps what is read of the standard error, also before a line of it has ended.
type errorOutput struct{ p *Process }

func (o errorOutput) Write(b []byte) (int, error) {
	o.p.mu.Lock()
	defer o.p.mu.Unlock()
	o.p.tail = append(o.p.tail, b...)
	o.p.tail = slices.Clone(o.p.tail[max(len(o.p.tail)-maxTail, 0):])
	return len(b), nil
}

// output is the reader of the SDK.
type output struct{ p *Process }

func (o output) Read(b []byte) (int, error) {
	n, err := o.p.lines.Read(b)
	if err != nil && err != io.EOF && !errors.Is(err, os.ErrClosed) {
		o.p.endWith(err)
	}
	return n, err
}

// Close ends the reading, for which the process has to end.
func (o output) Close() error {
	o.p.end()
	return nil
}

// input is the writer of the SDK.
type input struct{ p *Process }

// Write ends a server that does not read: the connection's other calls would wait.
func (i input) Write(b []byte) (int, error) {
	stuck := time.AfterFunc(maxUnread, func() {
		i.p.endWith(fmt.Errorf("it did not read a message within %s", maxUnread))
	})
	defer stuck.Stop()
	return i.p.process.Input().Write(b)
}

func (i input) Close() error { return i.p.process.Input().Close() }

// Level returns the level at which the process is confined.
func (p *Process) Level() sandbox.Level { return sandbox.LevelOf(p.process) }
