package model

import (
	"context"
	"encoding/json"
	"iter"
)

// A Generator is a model behind one provider.
type Generator interface {
	// Stream sends the request and yields the answer in chunks. Nothing is sent
	// before the sequence is ranged over. Leaving the loop or cancelling ctx closes
	// the stream. An error is yielded last, and is an [*Error] unless ctx ended. A
	// stream that ends without a chunk with a Finish yields an error of kind [Cut].
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// A Searcher is a generator whose provider can search the web.
type Searcher interface {
	// Searches reports whether requests with Search are answered.
	Searches() bool
}

// A Lister is a generator that can list the models that its key may use.
type Lister interface {
	// Models asks the provider. Its error is an [*Error] unless ctx ended.
	Models(ctx context.Context) ([]Offered, error)
}

// Offered is a model that a provider offers.
type Offered struct {
	ID, Name                  string // Name is for display, and may be empty
	InputTokens, OutputTokens int64  // limits; 0: unknown
	Tools, Images             *bool  // whether it calls tools and sees images; nil: unknown
}

// A Counter is a generator that can count the tokens of a request without sending it
// to the model.
type Counter interface {
	// CountTokens asks the provider. Its error is an [*Error] unless ctx ended.
	CountTokens(ctx context.Context, req Request) (int64, error)
}

// A ToolLimiter is a generator whose provider takes a limited number of tools.
type ToolLimiter interface {
	// MaxTools returns how many tools a request may declare; 0: there is no limit.
	MaxTools() int
}

// An Informed generator knows its models better than the catalogue does, such as that of a
// local server.
type Informed interface {
	// Prepare asks the server what it knows of a model, unless that was done recently. If
	// the server does not answer, the next request will say why.
	Prepare(ctx context.Context, model string)

	// Known returns what the server has said of a model: how many tokens it accepts for
	// prompt and answer together, and what it can do. It asks nobody.
	Known(model string) Offered
}

// Request holds everything that a model receives for one step.
type Request struct {
	Model    string // the provider's name of the model, without a provider prefix
	System   string
	Messages []Message // curated: roles alternate, every call is answered
	Tools    []Tool
	Choice   Choice
	Config   Config

	// Search lets the provider search the web for the answer. It has no effect
	// unless the generator is a [Searcher], and excludes Tools.
	Search bool

	// Again marks the repetition of a request whose answer was useless.
	Again bool
}

// Check returns an error for a request that makes no sense.
func (r Request) Check() error {
	switch {
	case r.Model == "":
		return &Error{Kind: Invalid, Message: "no model is selected; choose one with --model or the setting model.name"}
	case len(r.Messages) == 0:
		return EmptyConversation()
	}
	return nil
}

// EmptyConversation returns the error for a request of which nothing is left to be sent.
func EmptyConversation() error { return &Error{Kind: Invalid, Message: "the conversation is empty"} }

// Choice controls whether the model calls tools. Providers that do not support it
// ignore it.
type Choice int

// The choices.
const (
	MayCall Choice = iota
	MustCall
	MustNotCall
)

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of an object
}

// Chunk is one piece of a streamed answer. Any field may be empty. As JSON it has the form
// of a recording.
type Chunk struct {
	Parts      Parts      `json:"parts,omitempty"`      // Text, Thought, Blob and whole Calls
	Finish     Finish     `json:"finish,omitempty"`     // set once, on the last chunk with content
	FinishWord string     `json:"finishWord,omitempty"` // the provider's own finish reason
	FinishWhy  string     `json:"-"`                    // what is wrong with a malformed call, in the provider's words; empty: unknown
	Usage      *Usage     `json:"usage,omitempty"`      // the latest counts of this response
	Citations  []Citation `json:"citations,omitempty"`
	Grounding  *Grounding `json:"-"` // where the text of the answer comes from; replaces an earlier one
	ResponseID string     `json:"responseId,omitempty"`

	// Unsent is set, alone and before the answer, if notes were sent in the place of
	// attachments; once for each reason.
	Unsent *Unsent `json:"-"`

	// Retry is set, alone, when a failed attempt is about to be repeated.
	// Everything yielded so far is void. Only [FallingBack] yields it.
	Retry *Retry `json:"-"`

	// Fallback is set, alone, when another model takes over. Everything yielded so
	// far is void. Only [FallingBack] yields it.
	Fallback *Fallback `json:"-"`
}

// Unsent describes pictures and other files of a conversation that the model did not get.
type Unsent struct {
	Pictures, Files int
	Why             string // for the user: a clause, and what to do about it
}

// Finish is the reason why a response ended. It is empty until then.
type Finish string

// The finish reasons.
const (
	Stop          Finish = "stop"
	MaxTokens     Finish = "max_tokens"
	Safety        Finish = "safety" // including recitation
	MalformedCall Finish = "malformed_call"
	Other         Finish = "other"
)

// Citation is a source that the model cited.
type Citation struct {
	Title string `json:"title"`
	URI   string `json:"uri"`
}

// Grounding says which sources support which passages of an answer.
type Grounding struct {
	Sources  []Citation
	Passages []Passage
}

// Passage is a piece of an answer's text.
type Passage struct {
	End     int    // offset in the whole text, in bytes
	Text    string // may be empty
	Sources []int  // indices of its sources
}

// Usage counts tokens.
type Usage struct {
	Input   int64 `json:"input"`            // the whole prompt, including cached and tool tokens
	Output  int64 `json:"output"`           // the visible answer
	Cached  int64 `json:"cached,omitempty"` // the part of Input that came from a cache
	Thought int64 `json:"thought,omitempty"`
	Tool    int64 `json:"tool,omitempty"` // part of Input spent on tool-use prompts
	Total   int64 `json:"total"`

	// Cost is an estimate, in US dollars, of what Priced of the tokens cost. The
	// prices of the others are not known.
	Cost   float64 `json:"-"`
	Priced int64   `json:"-"`
}

// maxCount bounds each count of one answer. No request comes near it.
const maxCount = 1e9

// plausible returns u with counts that an answer can have: a budget that they are
// compared with must not grow, nor a sum overflow, because a server counts wrongly.
func (u Usage) plausible() *Usage {
	for _, n := range []*int64{&u.Input, &u.Output, &u.Cached, &u.Thought, &u.Tool, &u.Total} {
		*n = min(max(*n, 0), maxCount)
	}
	return &u
}

// Add returns the sum of two counts.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.Input + v.Input, u.Output + v.Output, u.Cached + v.Cached, u.Thought + v.Thought, u.Tool + v.Tool, u.Total + v.Total,
		u.Cost + v.Cost, u.Priced + v.Priced,
	}
}
