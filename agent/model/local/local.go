// Package local asks model servers on the user's machine what they serve: Ollama, LM
// Studio, llama.cpp and vLLM. It owns their own requests about models. How they answer
// conversations is the OpenAI package's matter. It sends nothing until it is asked for
// a list or a conversation.
package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/textcall"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// Kind is a kind of server.
type Kind string

// The kinds, under the names of their providers.
const (
	Ollama   Kind = "ollama"
	LMStudio Kind = "lmstudio"
	LlamaCpp Kind = "llamacpp"
	VLLM     Kind = "vllm"
)

// patience limits a request about models.
const patience = 10 * time.Second

// Options of [New].
type Options struct {
	Kind    Kind
	Address string // without /v1
	Key     string // empty: none is sent
	Way     transport.Options

	// Catalogue has what overrides the server, if it says so: whether a model calls tools,
	// and the context of a model of Ollama; nil: the built-in one.
	Catalogue *catalogue.Catalogue

	// Bridge has Ollama asked by its own API; nil: the generator asks as it does.
	Bridge *Bridge
}

// Generator adds what a server says of its models to a generator that talks to it. It
// is safe for concurrent use.
type Generator struct {
	model.Generator
	o      Options
	way    *transport.Transport
	client *http.Client

	mu    sync.Mutex
	known map[string]seen // by ID, as far as it was looked up
	// checked has the contexts that models were asked to be loaded with, once the server
	// has said with which they are.
	checked map[string]int64
	// clamped has smaller contexts that models were loaded with all the same.
	clamped map[string]int64
}

// seen is a server's answer about a model, with its time.
type seen struct {
	model.Offered

	at time.Time
}

// recently is how long an answer about a model counts in general: servers are restarted,
// and models are loaded with other contexts.
const recently = time.Minute

// New returns a generator for a server that g talks to.
func New(g model.Generator, o Options) *Generator {
	o.Address = strings.TrimRight(o.Address, "/")
	o.Way.Keys = []string{o.Key}
	if o.Catalogue == nil {
		o.Catalogue = catalogue.BuiltIn()
	}
	way := transport.New(o.Way, nil)
	out := &Generator{Generator: g, o: o, way: way, client: way.Client(), known: map[string]seen{}, checked: map[string]int64{}, clamped: map[string]int64{}}
	if o.Bridge != nil {
		o.Bridge.g = out
	}
	return out
}

// Unwrap implements [model.Wrapper].
func (g *Generator) Unwrap() model.Generator { return g.Generator }

// Stream implements [model.Generator]. It looks a model up before its first
// conversation, and lets those that cannot call tools do so in their text.
func (g *Generator) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		m, err := g.lookUp(ctx, req.Model)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		answering := g.Generator
		tools := m.Tools
		if t, _ := g.o.Catalogue.Traits(req.Model); t.Tools != nil {
			tools = t.Tools
		}
		if tools != nil && !*tools {
			answering = textcall.New(answering)
		}
		for c, err := range answering.Stream(ctx, req) {
			if err != nil {
				g.forget(req.Model) // it may have been restarted, or loaded with another context
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Prepare implements [model.Informed].
func (g *Generator) Prepare(ctx context.Context, name string) {
	g.mu.Lock()
	m, ok := g.known[name]
	g.mu.Unlock()
	if ok && time.Since(m.at) < recently {
		return
	}
	if now, err := g.find(ctx, name); err == nil {
		g.learn(now)
	}
}

// Known implements [model.Informed].
func (g *Generator) Known(name string) model.Offered {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[name].Offered
}

// Models implements [model.Lister].
func (g *Generator) Models(ctx context.Context) ([]model.Offered, error) {
	ctx, stop := context.WithTimeoutCause(ctx, patience, &model.Error{Kind: model.Unavailable, Message: "the server at " + g.o.Address + " did not list its models within " + patience.String()})
	defer stop()
	list, err := g.list(ctx)
	if err != nil {
		return nil, err
	}
	if g.o.Kind == Ollama {
		for i := range list {
			if m, err := g.describe(ctx, list[i].ID); err == nil {
				list[i] = m
			}
		}
	}
	g.learn(list...)
	return list, nil
}

// lookUp returns what is known of a model, and asks the server the first time. A
// server that has others, but not that one, is an error.
func (g *Generator) lookUp(ctx context.Context, name string) (model.Offered, error) {
	g.mu.Lock()
	known, ok := g.known[name]
	g.mu.Unlock()
	if ok && !known.at.IsZero() {
		return known.Offered, nil
	}
	m, err := g.find(ctx, name)
	if err == nil {
		g.learn(m)
	}
	return m, err
}

// find asks the server for a model.
func (g *Generator) find(ctx context.Context, name string) (m model.Offered, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, patience, &model.Error{Kind: model.Unavailable, Message: "the server at " + g.o.Address + " did not list its models within " + patience.String()})
	defer stop()
	if g.o.Kind == Ollama {
		if m, err = g.describe(ctx, name); err == nil {
			return m, nil
		}
		if e, ok := err.(*model.Error); !ok || e.Kind != model.NotFound { //nolint:errorlint // show does not wrap
			return m, err
		}
	}
	list, err := g.list(ctx)
	if err != nil {
		return m, err
	}
	ids := make([]string, len(list))
	for i, m := range list {
		if ids[i] = m.ID; m.ID == name || g.o.Kind == LlamaCpp && len(list) == 1 { // llama.cpp has one, whatever it is called
			m.ID = name
			return m, nil
		}
	}
	what := fmt.Sprintf("the server at %s has no model %q", g.o.Address, name)
	if len(ids) == 0 {
		what += "; it has none"
	} else {
		what += "; it has " + strings.Join(ids[:min(len(ids), 8)], ", ")
	}
	return m, &model.Error{Kind: model.NotFound, Message: transport.OneLine(what)}
}

func (g *Generator) learn(list ...model.Offered) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range list {
		g.known[m.ID] = seen{m, time.Now()}
	}
}

// forget has a model looked up before its next conversation.
func (g *Generator) forget(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m, ok := g.known[name]; ok {
		m.at = time.Time{}
		g.known[name] = m
	}
	delete(g.checked, name)
}

// ask sends a request about models, and decodes the answer into out.
func (g *Generator) ask(ctx context.Context, method, path string, body string, out any) error {
	x := &transport.Exchange{Whole: true}
	req, err := http.NewRequestWithContext(transport.With(ctx, x), method, g.o.Address+path, strings.NewReader(body))
	if err != nil {
		return &model.Error{Kind: model.Invalid, Message: "the address of the server is not a URL: " + transport.OneLine(g.o.Address)}
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if g.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+g.o.Key)
	}
	resp, err := g.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		var b []byte
		if b, err = io.ReadAll(resp.Body); err == nil {
			if json.Unmarshal(b, out) != nil {
				return &model.Error{Kind: model.Invalid, Status: x.Status, Message: fmt.Sprintf("the server at %s does not answer like %s; check the address", g.o.Address, g.o.Kind)}
			}
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := g.way.Explain(err, x)
	if e.Kind == model.Unavailable && x.Status == 0 {
		e.Message = fmt.Sprintf("no %s server answers at %s; start it, or set model.providers.%s.baseUrl", g.o.Kind, host(g.o.Address), g.o.Kind)
	}
	return e
}

// host returns an address without what may be secret in it.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	return u.Host
}
