package agent_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"iter"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// runBehindGemini is run with Google's models on an in-memory server, which rejects
// the requests that the real one rejects.
func (c *chaos) runBehindGemini() {
	log.SetOutput(io.Discard) // the client library's warnings
	defer log.SetOutput(os.Stderr)
	server := geminitest.Unlisted(geminitest.Options{Answer: func(r geminitest.Request) geminitest.Reply { return c.answerOf(len(r.Body) / 4) }})
	defer server.Close()
	c.models = pick(c, []string{"gemini-2.5-pro", "gemini-3-pro-preview"}, []string{"gemini-3-pro-preview", "gemini-2.5-pro"})
	c.generator = func() model.Generator {
		g, err := gemini.New(gemini.Options{APIKey: server.Key, BaseURL: server.URL, Way: transport.Options{HTTP: server, Idle: 300 * time.Millisecond}})
		if err != nil {
			c.T.Fatal(err)
		}
		return checked{c, g}
	}
	c.run()
	for i, r := range server.Requests() {
		if r.Refused != "" {
			c.T.Errorf("request %d was refused: %s\n%s", i, r.Refused, r.Body)
		}
	}
}

// checked fails the test if a provider would reject a request.
type checked struct {
	c *chaos
	model.Generator
}

func (g checked) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	if err := modeltest.Check(req); err != nil {
		g.c.T.Errorf("a request: %v", err)
	}
	return g.Generator.Stream(ctx, req)
}

// answerOf returns a random reply to a request of size tokens.
func (c *chaos) answerOf(size int) geminitest.Reply {
	var r geminitest.Reply
	switch c.n(16) {
	case 0:
		r = pick(c, geminitest.Throttle(c.ms(3000)), geminitest.ThrottleHeader(time.Second), geminitest.Exhausted("GenerateRequestsPerDay", 0),
			geminitest.Fail(http.StatusServiceUnavailable, "later"), geminitest.Fail(http.StatusInternalServerError, "never"), geminitest.Fail(http.StatusForbidden, "no"))
	case 1:
		r.Hold = c.later(60)
	}
	for range c.n(6) {
		e := c.event()
		e.Usage = &geminitest.Usage{Prompt: size, Answer: 5, Total: size + 5}
		r.Events = append(r.Events, e)
	}
	r.Frame = pick(c, servertest.Frame{}, servertest.Frame{LF: true}, servertest.Frame{Comments: true, Lines: true}, servertest.Frame{Split: 7})
	switch c.n(24) {
	case 0, 1: // it ends without a word
	case 2:
		r.Events = append(r.Events, geminitest.Event{Block: "SAFETY"})
	case 3:
		r.Events = append(r.Events, geminitest.Event{Error: pick(c, geminitest.Fail(http.StatusServiceUnavailable, "later"), geminitest.Fail(http.StatusTooManyRequests, "much")).Refusal})
	case 4, 5, 6:
		r.End = pick(c, servertest.Cut, servertest.Truncate, servertest.Garble, servertest.Stall)
		r.Events = append(r.Events, geminitest.Text("The end. "))
	case 7, 8, 9:
		r = r.Stop(pick(c, "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "LANGUAGE", "NEVER_HEARD_OF"))
	default:
		r = r.Stop("STOP")
	}
	return r
}

// later returns a channel that is closed within ms milliseconds.
func (c *chaos) later(ms int) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(c.ms(ms), func() { close(over) })
	return over
}

// event returns a random event.
func (c *chaos) event() geminitest.Event {
	signature := base64.StdEncoding.EncodeToString([]byte{byte(c.n(200)), 's'})
	empty := ""
	e := geminitest.Text(pick(c, "Hello. ", "And so on. ", "\n", "\u200b", "<!-- nothing -->"))
	switch c.n(16) {
	case 0, 1:
	case 2:
		e.Parts[0].ThoughtSignature = signature
	case 3:
		e.Parts[0].Text, e.Parts[0].ThoughtSignature = &empty, pick(c, "", signature)
	case 4, 5:
		e = geminitest.Think(pick(c, "**Subject** thought", "more ", ""))
		e.Parts[0].ThoughtSignature = pick(c, "", signature)
	case 6:
		e.Citations = []geminitest.Citation{{Title: "a page", URI: "https://example.com/"}}
	case 7:
		e.Raw = pick(c, `{"candidates":[{"content":{"role":"model","parts":[{"neverHeardOf":{}}]}}]}`, `{"candidates":[{"content":{"role":"model"}}]}`,
			`{"candidates":[]}`, `{}`, `{"candidates":[{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"1"}}]}}]}`)
	case 8:
		e.Parts = []geminitest.Part{{InlineData: &geminitest.Blob{MIMEType: "image/png", Data: "AAEC"}}}
	case 9, 10, 11: // side by side, in one event
		e = geminitest.Join(c.aCall(), c.aCall())
	case 12:
		e = geminitest.Join(e, c.aCall(), geminitest.Think("In between. "), c.aCall())
	default:
		e = c.aCall()
	}
	if c.n(8) == 0 {
		e.Hold = c.later(60)
	}
	return e
}

// aCall returns a function call, usually without an ID.
func (c *chaos) aCall() geminitest.Event {
	name, args := c.call()
	e := geminitest.Call(name, args)
	f := e.Parts[0].FunctionCall
	f.ID = pick(c, "", "", "id-1", "id-2")
	if c.n(12) == 0 {
		f.Args = pick(c, nil, json.RawMessage(`{"n":12345678901234567890, "s":"<a> & \u00e9 \/"}`))
	}
	return e
}
