package chat

import (
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// reportEvery is the shortest time between two reports of a progress.
const reportEvery = 100 * time.Millisecond

// progress shows what a turn is doing, by $/progress. A goroutine of its own
// sends it, so that nothing else waits for the client.
type progress struct {
	token   any
	cancels bool // the user can cancel the turn by it: it is the server's

	mu      sync.Mutex
	message string
	over    bool
	moved   client.Signal
	ended   chan struct{} // closed when it is over
	done    chan struct{} // closed when nothing more is sent
}

// progressParams are LSP's ProgressParams. The token is sent as the client chose
// it, which may be any JSON value.
type progressParams struct {
	Token any `json:"token"`
	Value any `json:"value"`
}

// newProgress begins to show a progress under a token. One that cancels its turn is created
// with the client first.
func (t *Turns) newProgress(token any, cancels bool) *progress {
	p := &progress{token: token, cancels: cancels, moved: client.NewSignal(), ended: make(chan struct{}), done: make(chan struct{})}
	begun := t.c.Go(func() {
		defer close(p.done)
		t.showProgress(p)
	})
	if !begun {
		close(p.done)
	}
	return p
}

// showCancellable shows the progress of a turn, which the user can cancel, where the client
// can.
func (t *Turns) showCancellable(x *turn) {
	if t.c.Can.Progress {
		x.progress.Store(t.newProgress(fmt.Sprintf("emendo-%d", t.lastToken.Add(1)), true))
	}
}

func (t *Turns) showProgress(p *progress) {
	life := t.c.Life()
	if p.cancels {
		if err := t.c.Call(life, "window/workDoneProgress/create", progressToken{p.token}, nil); err != nil {
			t.c.Log.Debug("progress not shown", "error", err)
			return
		}
	}
	send := func(value any) { t.c.Notify(life, "$/progress", progressParams{p.token, value}) }
	var cancellable *bool
	if p.cancels {
		cancellable = new(true)
	}
	send(protocol.WorkDoneProgressBegin{Kind: "begin", Title: "emendo", Cancellable: cancellable})
	shown := ""
	for {
		select {
		case <-p.moved:
		case <-life.Done():
			return
		}
		message, over := p.state()
		if over {
			end := protocol.WorkDoneProgressEnd{Kind: "end"}
			if message != "" {
				end.Message = &message
			}
			send(end)
			return
		}
		if message != shown {
			shown = message
			send(protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Cancellable: cancellable})
			select {
			case <-time.After(reportEvery):
			case <-p.ended:
			case <-life.Done():
			}
		}
	}
}

func (p *progress) state() (message string, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.message, p.over
}

// follow shows what an event of the turn says about what it is doing.
func (p *progress) follow(e transcript.Event) {
	switch e := e.(type) { //nolint:gochecksumtype // only these tell what the turn is doing
	case transcript.ToolCall:
		p.setMessage(e.Title)
	case transcript.ToolUpdate:
		switch e.State { //nolint:exhaustive // in the other states nothing waits for the user
		case transcript.AwaitingApproval:
			p.setMessage("Waiting for you: " + e.Title)
		case transcript.AwaitingReview:
			p.setMessage("Waiting for your decision on the edits before it: " + e.Title)
		}
	case transcript.Thought:
		if e.Subject != "" {
			p.setMessage(e.Subject)
		}
	case transcript.Text:
		p.setMessage("Answering")
	case transcript.Notice:
		p.setMessage(e.Title)
	}
}

// setMessage shows a message, unless it is empty or the progress is over.
func (p *progress) setMessage(message string) {
	p.mu.Lock()
	if message != "" && !p.over {
		p.message = visible.Text(visible.OneLine(message))
	}
	p.mu.Unlock()
	p.moved.Raise()
}

// finish ends the progress, once. It does not wait until that is sent; done is closed then.
func (p *progress) finish(message string) {
	p.mu.Lock()
	p.message, p.over = message, true
	p.mu.Unlock()
	close(p.ended)
	p.moved.Raise()
}

// endProgress ends what a turn has shown as progress, and waits until the client was
// sent the end. It gives up early on a client that has not even accepted the progress.
func (t *Turns) endProgress(x *turn, cancelled bool, err error) {
	p := x.progress.Load()
	if p == nil {
		return
	}
	switch {
	case cancelled:
		p.finish("Cancelled")
	case err != nil:
		p.finish("Failed")
	default:
		p.finish("Done")
	}
	select {
	case <-p.done:
	case <-time.After(rpc.EndWait):
	case <-t.c.Life().Done():
	}
}

// progressToken are the params of window/workDoneProgress/create and cancel.
type progressToken struct {
	Token any `json:"token"`
}

// CancelProgress cancels the turn of a progress, at the user's request.
func (t *Turns) CancelProgress(p progressToken) error {
	token, _ := p.Token.(string) // those of the server are strings
	for _, x := range t.running.inSession("") {
		if shown := x.progress.Load(); shown != nil && shown.cancels && shown.token == token {
			x.stop(transcript.ErrCancelled)
		}
	}
	return nil
}
