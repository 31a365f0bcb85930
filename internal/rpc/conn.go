package rpc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// EndWait is the longest wait for a cancellation after the connection has ended.
const EndWait = time.Second

// lastWait is how long the end of a connection waits for reads and writes that
// were told to stop by closing their streams.
const lastWait = 100 * time.Millisecond

// Options has the limits of a connection and its log. The zero value works.
type Options struct {
	Framing    Framing
	Cancel     Cancel        // how either side cancels a request
	Bug        error         // what [Conn.Contain] returns for a panic
	Log        *slog.Logger  // nothing is logged when nil; never gets the text of a message
	MaxMessage int           // longest accepted message, in bytes; 64 MiB when 0
	lineBuffer int           // the read buffer of a stream, in bytes, beyond which a line is no header; 64 KiB when 0
	MaxQueue   int           // queued output in bytes, beyond which writers wait; 4 MiB when 0
	MaxRunning int           // concurrent requests, beyond which they are refused; 10,000 when 0
	Grace      time.Duration // how long the end waits for running work and queued output; 800 ms when 0
}

// Cancel is the notification that cancels a request, in both directions. The zero
// value is that of LSP.
type Cancel struct {
	Method string
	Param  string // the name of the parameter with the ID of the request
}

// withDefaults returns the options with every limit set.
func (o Options) withDefaults() Options {
	o.Cancel = cmp.Or(o.Cancel, Cancel{"$/cancelRequest", "id"})
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.MaxMessage = cmp.Or(o.MaxMessage, 64<<20)
	o.lineBuffer = cmp.Or(o.lineBuffer, 64<<10)
	o.MaxQueue = cmp.Or(o.MaxQueue, 4<<20)
	o.MaxRunning = cmp.Or(o.MaxRunning, 10_000)
	o.Grace = cmp.Or(o.Grace, 800*time.Millisecond)
	return o
}

// A Conn is a connection to one peer. Its methods may be called from anywhere at
// any time, with the one exception that [Handler] names.
type Conn struct {
	r       io.Reader
	w       io.Writer
	handler Handler
	options Options
	log     *slog.Logger
	codec   codec

	in      *frames // owned by the read loop
	out     *queue
	running *running // the peer's requests

	calls    sync.Map // ours that the peer has not answered: where each waits, by id
	lastCall atomic.Int64

	ran   atomic.Bool
	life  context.Context         // ends, with the reason, when the connection begins to end
	end   context.CancelCauseFunc // ends life
	mu    sync.Mutex              // held while a task starts
	tasks sync.WaitGroup          // in the background, as long as life has not ended

	base context.Context // the parent of handlers' contexts; set by Run before anything is read
	done chan struct{}   // closed when Run returns
}

// NewConn returns a connection that reads r and writes w, once it is run. Run
// closes both, where they can be closed, when it ends.
func NewConn(r io.Reader, w io.Writer, h Handler, o Options) *Conn {
	o = o.withDefaults()
	c := &Conn{
		r: r, w: w, handler: h, options: o, log: o.Log,
		codec:   codec{framing: o.Framing},
		in:      newFrames(r, o),
		out:     newQueue(w, o),
		running: newRunning(o.MaxRunning),
		done:    make(chan struct{}),
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	return c
}

// Run serves the peer until its stream ends, ctx ends, the peer cannot be written
// to, or Close is called; it may be called once. Then it cancels all running work,
// waits for it and for what is queued to be written, at most the options' grace,
// and closes the streams. It returns nil for a stream that ended between two
// messages and for Close, the cause of ctx, or what went wrong.
//
// A read that closing does not interrupt, of a terminal or an inherited pipe on
// standard input, leaks with its goroutine until the process ends.
func (c *Conn) Run(ctx context.Context) error {
	if c.ran.Swap(true) {
		return errors.New("run connection: already run")
	}
	defer close(c.done)
	var cancel context.CancelCauseFunc
	c.base, cancel = context.WithCancelCause(ctx)
	defer context.AfterFunc(ctx, func() { c.end(context.Cause(ctx)) })()

	wrote, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(wrote)
		c.end(c.out.run())
	}()
	go func() {
		defer close(read)
		c.receive()
	}()

	<-c.life.Done()
	cause := context.Cause(c.life)
	cancel(cmp.Or(context.Cause(ctx), ErrClosed))
	c.finish(ctx, wrote, read)

	if errors.Is(cause, io.EOF) || errors.Is(cause, ErrClosed) {
		return nil
	}
	return cause
}

// finish ends everything that belongs to the connection. The writer closes wrote
// when it has stopped, and the read loop closes read.
func (c *Conn) finish(ctx context.Context, wrote, read <-chan struct{}) {
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), c.options.Grace) // ctx may be why we end
	defer stop()
	select {
	case <-c.running.end():
	case <-grace.Done():
		c.log.Error("requests did not stop", "after", c.options.Grace, "methods", c.running.methods())
	}
	if err := c.out.drain(grace); err != nil {
		c.log.Warn("the peer did not read everything", "error", err)
	}
	c.out.close()

	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.closeStreams()
	}()
	last := time.After(lastWait)
	for _, ended := range []<-chan struct{}{closed, wrote, read} {
		select {
		case <-ended:
		case <-last:
			c.log.Debug("a stream is still blocked and is left behind")
			return
		}
	}
}

// closeStreams closes the streams, which interrupts most reads and writes.
func (c *Conn) closeStreams() {
	for _, s := range []any{c.r, c.w} {
		if closer, ok := s.(io.Closer); ok {
			if err := closer.Close(); err != nil {
				c.log.Debug("close stream", "error", err)
			}
		}
	}
}

// Close makes Run end and returns at once, so that handlers may call it; Done
// tells when it has ended. The error is always nil.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	return nil
}

// Life returns the context that ends, with the reason, when the connection begins to end.
func (c *Conn) Life() context.Context { return c.life }

// Done returns a channel that is closed when Run has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }
