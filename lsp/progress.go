package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/visible"
)

// reportEvery bounds how often a progress is told anew, as for tool output.
const reportEvery = 100 * time.Millisecond

// progress shows what a turn is doing by $/progress. A goroutine of the server
// sends it, so that nobody waits for the client.
type progress struct {
	token  any
	cancel func() // what the user's cancel does; nil when it cannot be cancelled so

	mu      sync.Mutex
	message string
	over    bool
	moved   chan struct{} // has room for one
	done    chan struct{} // closed when nothing of it is sent any more
}

type progressParams struct {
	Token any `json:"token"`
	Value any `json:"value"`
}

type progressValue struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitzero"`
	Cancellable bool   `json:"cancellable,omitzero"`
	Message     string `json:"message,omitzero"`
}

// newProgress begins to show a progress under a token. One that the server made
// up itself is created with the client first.
func (s *server) newProgress(token any, cancel func()) *progress {
	p := &progress{token: token, cancel: cancel, moved: make(chan struct{}, 1), done: make(chan struct{})}
	begun := s.spawn(func() {
		defer close(p.done)
		s.showProgress(p)
	})
	if !begun {
		close(p.done)
	}
	return p
}

type createProgressParams struct {
	Token any `json:"token"`
}

func (s *server) showProgress(p *progress) {
	if p.cancel != nil {
		s.tokens.add(p)
		defer s.tokens.remove(p)
		if err := s.conn.Call(s.life, "window/workDoneProgress/create", createProgressParams{p.token}, nil); err != nil {
			s.log.Debug("a progress is not shown", "error", err)
			return
		}
	}
	s.notify(s.life, "$/progress", progressParams{p.token, progressValue{Kind: "begin", Title: "emendo", Cancellable: p.cancel != nil}})
	shown := ""
	for {
		select {
		case <-p.moved:
		case <-s.life.Done():
			return
		}
		p.mu.Lock()
		message, over := p.message, p.over
		p.mu.Unlock()
		if over {
			s.notify(s.life, "$/progress", progressParams{p.token, progressValue{Kind: "end", Message: message}})
			return
		}
		if message != shown {
			shown = message
			s.notify(s.life, "$/progress", progressParams{p.token, progressValue{Kind: "report", Message: message, Cancellable: p.cancel != nil}})
			p.pause(s.life.Done())
		}
	}
}

// pause waits until the next report may go out, or the progress is over.
func (p *progress) pause(ended <-chan struct{}) {
	t := time.NewTimer(reportEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			p.wake()
			return
		case <-ended:
			return
		case <-p.moved:
			p.mu.Lock()
			over := p.over
			p.mu.Unlock()
			if over {
				p.wake()
				return
			}
		}
	}
}

func (p *progress) wake() {
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

// follow says what an event of the turn means is being done.
func (p *progress) follow(e agent.Event) {
	switch e := e.(type) { //nolint:gochecksumtype // few events say what is being done
	case agent.ToolCall:
		p.say(e.Title)
	case agent.ToolUpdate:
		if e.State == agent.AwaitingApproval {
			p.say("Waiting for you: " + e.Title)
		}
	case agent.Thought:
		if e.Subject != "" {
			p.say(e.Subject)
		}
	case agent.Text:
		p.say("Answering")
	case agent.Notice:
		p.say(e.Title)
	}
}

func (p *progress) say(message string) {
	p.mu.Lock()
	if message != "" && !p.over {
		p.message = visible.Text(oneLine(message))
	}
	p.mu.Unlock()
	p.wake()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// awaitEnd waits until the client was sent the end of a progress, but not long
// for one that has not even taken the progress on.
func (s *server) awaitEnd(p *progress) {
	late := time.NewTimer(endWait)
	defer late.Stop()
	select {
	case <-p.done:
	case <-late.C:
	case <-s.life.Done():
	}
}

// end ends the progress. It does not wait until that is sent; done tells.
func (p *progress) end(message string) {
	p.mu.Lock()
	p.message, p.over = message, true
	p.mu.Unlock()
	p.wake()
}

// tokens are the progresses that the user may cancel.
type tokens struct {
	mu   sync.Mutex
	last int
	open map[any]*progress
}

// next makes a token up.
func (t *tokens) next() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	return fmt.Sprintf("emendo-%d", t.last)
}

func (t *tokens) add(p *progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[any]*progress{}
	}
	t.open[p.token] = p
}

func (t *tokens) remove(p *progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, p.token)
}

type cancelProgressParams struct {
	Token json.RawMessage `json:"token"`
}

// cancelProgress is the user's click on a progress.
func (s *server) cancelProgress(p cancelProgressParams) error {
	var token string // those of the server are strings
	if err := json.Unmarshal(p.Token, &token); err != nil {
		return err
	}
	s.tokens.mu.Lock()
	shown := s.tokens.open[token]
	s.tokens.mu.Unlock()
	if shown != nil {
		shown.cancel()
	}
	return nil
}
