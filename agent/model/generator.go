package model

import (
	"context"
	"encoding/json"
	"iter"
)

// A Generator is a model behind one provider.
type Generator interface {
	// Stream sends the request and yields the answer chunk by chunk. Nothing
	// is sent before the sequence is ranged over; leaving the loop or ending
	// ctx closes the stream. An error is the last thing yielded; it is an
	// [*Error] unless ctx ended. A stream that ends without a chunk that has
	// a Finish was cut, and yields an error of kind [Cut].
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// A Lister is a generator that can tell which models its key may use.
type Lister interface {
	// Models asks the provider. Its error is a [*Error] unless ctx ended.
	Models(ctx context.Context) ([]Offered, error)
}

// Offered is a model that a provider offers.
type Offered struct {
	ID, Name                  string // Name is for people, and may be empty
	InputTokens, OutputTokens int64  // limits; 0: not told
}

// Request is everything a model is given for one step.
type Request struct {
	Model    string // the provider's name of the model, without a provider prefix
	System   string
	Messages []Message // curated: roles alternate, every call is answered
	Tools    []Tool
	Choice   Choice
	Config   Config

	// Again says that the same was asked before, and the answer was of no use.
	Again bool
}

// Choice says whether the model may call the tools that it is offered. A
// provider that has no word for it leaves the model free.
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

// Chunk is one piece of a streamed answer. Every field may be empty.
type Chunk struct {
	Parts      []Part // Text, Thought, Blob and whole Calls
	Finish     Finish // set once, on the last chunk that carries anything
	FinishWord string // the provider's own word for Finish
	Usage      *Usage // the newest counts of this response
	Citations  []Citation
	ResponseID string

	// Retry is set, alone, when a failed attempt is about to be repeated:
	// what this stream yielded so far is void. Only [Retrying] yields it.
	Retry *Retry

	// Fallback is set, alone, when another model takes over: what this stream
	// yielded so far is void. Only [FallingBack] yields it.
	Fallback *Fallback
}

// Finish says why a response ended.
type Finish string

// Why a response ended; empty while it goes on.
const (
	Stop          Finish = "stop"
	MaxTokens     Finish = "max_tokens"
	Safety        Finish = "safety" // safety and recitation
	MalformedCall Finish = "malformed_call"
	Other         Finish = "other"
)

// Citation is a source that the model named.
type Citation struct{ Title, URI string }

// Usage counts tokens.
type Usage struct {
	Input   int64 // the whole prompt, cached and tool tokens included
	Output  int64 // the visible answer
	Cached  int64 // part of Input that came from a cache
	Thought int64
	Tool    int64 // part of Input spent on tool-use prompts
	Total   int64
}

// Add returns the sum of two counts.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Cached + v.Cached, u.Thought + v.Thought, u.Tool + v.Tool, u.Total + v.Total}
}
