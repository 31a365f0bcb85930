// Package headless writes what happens in a session without an editor, in one of three
// formats for scripts. It knows neither the command line nor exit statuses.
package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Options of an [Output].
type Options struct {
	Format    string // text, json or stream-json
	Writer    io.Writer
	Warn      func(text string)                // prints a warning for the user
	Secrets   *redact.Redactor                 // kept out of errors
	Stop      context.CancelCauseFunc          // ends the run
	Printable func(text string) string         // leaves out what would steer a terminal
	Type      func(err error, code int) string // names a failure
}

// Output is the client of a headless run. It cannot ask the user.
type Output struct {
	o     Options
	begun time.Time

	mu      sync.Mutex
	session *agent.Session
	items   *view.Conversation // what was shown, in the formats that are no stream
	calls   int
	refused int   // of these, by rules or because no user was available
	failed  error // of writing

	finished bool // the result is written
}

// New returns an Output for a run that begins now.
func New(o Options) *Output {
	return &Output{o: o, begun: time.Now(), items: view.NewConversation(view.Options{})}
}

// A DiskFullError ends a run whose tools cannot write.
type DiskFullError struct{ Output string }

func (e *DiskFullError) Error() string { return "no space left on disk: " + e.Output }

var _ frontend.Follower = (*Output)(nil)

// Abilities implements [frontend.Client].
func (o *Output) Abilities() frontend.Abilities { return frontend.Abilities{} }

// Ask implements [frontend.Client].
func (o *Output) Ask(context.Context, frontend.Question) (frontend.Answer, error) {
	return frontend.Answer{}, errors.New("no user is available to answer")
}

// SessionID returns the ID of the session; "" before it has begun.
func (o *Output) SessionID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session == nil {
		return ""
	}
	return o.session.ID()
}

// Begin writes which session runs.
func (o *Output) Begin(s *agent.Session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.session = s
	o.line(map[string]any{"type": "init", "session_id": s.ID(), "model": s.Info().Model})
}

// Show implements [frontend.Client].
func (o *Output) Show(_ context.Context, u transcript.Update) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if u.Replay { // from another process, which showed it
		return nil
	}
	o.count(u.Event)
	if o.o.Format == "stream-json" {
		o.stream(u.Event)
	} else {
		o.warn(u)
	}
	return nil
}

// count counts calls, and ends a run that nothing can go on after.
func (o *Output) count(e transcript.Event) {
	switch e := e.(type) { //nolint:gochecksumtype // only calls are counted
	case transcript.ToolCall:
		o.calls++
	case transcript.ToolUpdate:
		if e.Over() && e.ErrorType == tools.PolicyViolation {
			o.refused++
		}
		if e.Over() && e.ErrorType == tools.NoSpaceLeft {
			o.o.Stop(&DiskFullError{e.Output})
		}
	}
}

// stream writes the line of an event.
func (o *Output) stream(e transcript.Event) {
	switch e := e.(type) { //nolint:gochecksumtype // the others have no line
	case transcript.UserChunk:
		o.line(map[string]any{"type": "message", "role": "user", "content": e.Block.Text, "message_id": e.MessageID})
	case transcript.Text:
		o.line(map[string]any{"type": "message", "role": "assistant", "content": e.Text, "delta": true, "message_id": e.MessageID})
	case transcript.Retract:
		o.line(map[string]any{"type": "retract", "message_id": e.MessageID})
	case transcript.ToolCall:
		o.line(map[string]any{"type": "tool_use", "tool_name": e.Name, "tool_id": e.CallID, "parameters": e.Args})
	case transcript.ToolUpdate:
		o.toolResult(e)
	case transcript.Notice:
		text := visible.OneLine(strings.TrimSuffix(e.Title+": "+e.Description, ": "))
		if e.Severity != transcript.Info {
			o.line(map[string]any{"type": "error", "severity": string(e.Severity), "message": text})
		} else {
			o.line(map[string]any{"type": "notice", "code": string(e.Code), "message": text})
		}
	case transcript.Compaction:
		o.compaction(e)
	}
}

// Happened implements [frontend.Follower].
func (o *Output) Happened(_ string, e frontend.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.finished {
		o.line(map[string]any{"type": "event", "event": e.Kind(), "data": e})
	}
}

// warned are the notices that are said on standard error in the formats without a place for
// them. The others are in the result, or end the turn, whose error says the same.
var warned = []transcript.NoticeCode{
	transcript.NoticeRetry, transcript.NoticeModelFallback, transcript.NoticeHook, transcript.NoticeStopped, transcript.NoticeMCP,
	transcript.NoticeBackground, transcript.NoticeCitation, transcript.NoticeNotSent, transcript.NoticeOutside, transcript.NoticeMovedAside,
}

// warn says on standard error what the user is to know of an update beside the answer.
func (o *Output) warn(u transcript.Update) {
	o.items.Add(u)
	for _, c := range o.items.Changes() {
		if i := c.Item; i != nil && i.Kind == view.KindNotice && warns(*i) {
			o.o.Warn("emendo: " + i.Sentence())
		}
	}
}

// warns reports whether an item is said on standard error.
func warns(i view.Item) bool {
	code, isNotice := strings.CutPrefix(i.Title.Code, "notice.")
	switch {
	case !isNotice: // the history was shortened, or could not be
		return i.HasEnded()
	case code == string(transcript.NoticeHook) && i.Look == view.LookInfo && len(i.Parts) == 0:
		return false // it ran without output
	}
	return slices.Contains(warned, transcript.NoticeCode(code))
}

// compaction writes that the older part of the conversation was replaced by a summary, or that
// this failed.
func (o *Output) compaction(e transcript.Compaction) {
	text := fmt.Sprintf("conversation summarized: %d tokens reduced to %d", e.OriginalTokens, e.NewTokens)
	switch e.Status {
	case "completed":
	case "failed":
		text = "the long conversation could not be summarized"
	default:
		return // started
	}
	o.line(map[string]any{"type": "notice", "code": "compaction", "message": text})
}

func (o *Output) toolResult(e transcript.ToolUpdate) {
	if !e.Over() {
		return
	}
	l := map[string]any{"type": "tool_result", "tool_id": e.CallID, "status": "success", "output": e.Output}
	if e.State != transcript.Success {
		l["status"] = "error"
		l["error"] = map[string]any{"type": string(e.ErrorType), "message": e.Output}
	}
	o.line(l)
}

// line writes a line of stream-json, and nothing in the other formats.
func (o *Output) line(v map[string]any) {
	if o.o.Format != "stream-json" {
		return
	}
	v["timestamp"] = acp.Time(time.Now())
	o.object(v)
}

// object writes a line of JSON.
func (o *Output) object(v map[string]any) {
	b, err := json.Marshal(v)
	if err != nil {
		o.stopWith(err)
		return
	}
	o.write([]byte(visible.EscapeJSON(string(b))))
}

// write writes a line, unless an earlier write failed.
func (o *Output) write(line []byte) {
	if o.failed != nil {
		return
	}
	if _, err := o.o.Writer.Write(append(line, '\n')); err != nil {
		o.stopWith(err)
	}
}

// stopWith ends the run, since nobody can read the rest.
func (o *Output) stopWith(err error) {
	o.failed = fmt.Errorf("write the answer: %w", err)
	o.o.Stop(o.failed)
}

// Finish writes the result: the answer, or the error and the exit status.
func (o *Output) Finish(end state.Ended, err error, code int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished = true
	answer := o.o.Secrets.Known(end.Text) // the model may have read a key, and split it over pieces
	v := map[string]any{"stats": o.stats(end)}
	if err != nil {
		v["error"] = map[string]any{"type": o.o.Type(err, code), "message": visible.OneLine(o.o.Secrets.Text(err.Error())), "code": code}
	}
	switch o.o.Format {
	case "text":
		if answer != "" {
			o.write([]byte(o.o.Printable(answer)))
		}
	case "json":
		v["session_id"], v["response"] = "", answer
		if o.session != nil {
			v["session_id"] = o.session.ID()
		}
		o.object(v)
	case "stream-json":
		v["type"], v["status"] = "result", "success"
		if err != nil {
			v["status"] = "error"
		}
		o.line(v)
	}
	if o.refused > 0 && o.o.Format != "stream-json" { // which lists each with its reason
		o.o.Warn(fmt.Sprintf("emendo: %d of %d tool calls were not permitted, because this run cannot ask you. To permit more, use --approval-mode or add rules (docs/policy.md).", o.refused, o.calls))
	}
	return o.failed
}

func (o *Output) stats(end state.Ended) map[string]any {
	models := map[string]any{}
	for name, u := range end.Models {
		models[name] = counts(u)
	}
	stats := counts(end.Usage.Usage)
	stats["duration_ms"], stats["tool_calls"], stats["models"] = time.Since(o.begun).Milliseconds(), o.calls, models
	if o.refused > 0 {
		stats["tool_calls_refused"] = o.refused
	}
	return stats
}

// counts returns token counts under the names that scripts read.
func counts(u model.Usage) map[string]any {
	c := map[string]any{
		"total_tokens": u.Total, "input_tokens": u.Input, "output_tokens": u.Output + u.Thought, "cached": u.Cached, "input": u.Input - u.Cached,
	}
	if u.Priced > 0 {
		c["cost"] = math.Round(u.Cost*1e9) / 1e9 // without the noise of sums
		if u.Priced < u.Total {
			c["cost_at_least"] = true
		}
	}
	return c
}
