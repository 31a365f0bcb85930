package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
)

// Role is the author of a message.
type Role string

// The roles of a conversation. Results of tools are in the user's messages.
const (
	User  Role = "user"
	Model Role = "model"
)

// Message is one turn of a conversation. Its parts must not be modified.
type Message struct {
	ID    string `json:"id"` // stable over restarts, unique in a session
	Role  Role   `json:"role"`
	Parts Parts  `json:"parts"`
}

// Part is a piece of a message: [Text], [Thought], [Blob], [Call] or [Result].
//
//sumtype:decl
type Part interface{ isPart() }

// Has reports whether a message has a part of type P.
func Has[P Part](m Message) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool { _, ok := p.(P); return ok })
}

// Signatures, encrypted reasoning and the provider's IDs of calls mean something to
// the provider that issued them only. [Issued] notes that provider in Issuer, and
// sends them to no other one. An empty Issuer is of a session that was stored before
// issuers were: Google.

// Text is a piece of text. An empty text may carry a signature.
type Text struct {
	Text      string
	Signature []byte // opaque; returned to the provider that issued it
	Given     bool   // added to the user's message by the agent, not typed by the user
	Issuer    string // of the signature
}

// Thought is a model's reasoning, which is shown to the user. A generator yields it
// in pieces, the last of which may carry a signature. Then all of its text goes back
// to the provider, with the signature, as one part before those that followed it. A
// thought without a signature is not sent back.
type Thought struct {
	Text      string
	Signature []byte // opaque; whatever the provider needs to accept the thought
	Issuer    string // of the signature
}

// Blob is binary content such as an image.
type Blob struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Call is a tool call by the model.
type Call struct {
	ID         string          `json:"id"`                   // emendo's own, unique in a session
	ProviderID string          `json:"providerId,omitempty"` // the provider's; may be empty
	Name       string          `json:"name"`                 // the tool's name as the model wrote it
	Args       json.RawMessage `json:"args"`                 // a JSON object, byte for byte as it was received
	Signature  []byte          `json:"-"`                    // beside the call, as that of other parts
	Issuer     string          `json:"-"`                    // of ProviderID and Signature; likewise

	// Broken tells the model why the call cannot run, such as that its arguments are no
	// JSON; empty: it can. Args is an empty object then, which every provider takes back.
	// It is not stored: the result of the call has it.
	Broken string `json:"-"`
}

// ObjectOf returns the arguments of a call if they are a JSON object, and an empty
// object otherwise: providers refuse anything else.
func ObjectOf(args json.RawMessage) json.RawMessage {
	args = bytes.ToValidUTF8(bytes.TrimSpace(args), []byte("\ufffd"))
	if len(args) == 0 || args[0] != '{' || !json.Valid(args) {
		return json.RawMessage("{}")
	}
	return args
}

// Result answers a [Call].
type Result struct {
	CallID     string `json:"callId"`               // the ID of the call
	ProviderID string `json:"providerId,omitempty"` // the ProviderID of the call
	Name       string `json:"name"`
	Output     string `json:"output"`           // what the model reads
	Failed     bool   `json:"failed,omitempty"` // Output describes the error
	Blobs      []Blob `json:"blobs,omitempty"`  // images and other binary output
}

func (Text) isPart()    {}
func (Thought) isPart() {}
func (Blob) isPart()    {}
func (Call) isPart()    {}
func (Result) isPart()  {}

// Size returns the size of a part in bytes, without its IDs.
func Size(p Part) int {
	switch p := p.(type) {
	case Text:
		return len(p.Text) + len(p.Signature)
	case Thought:
		return len(p.Text) + len(p.Signature)
	case Blob:
		return len(p.Data)
	case Call:
		return len(p.Name) + len(p.Args) + len(p.Signature)
	case Result:
		n := len(p.Name) + len(p.Output)
		for _, b := range p.Blobs {
			n += len(b.Data)
		}
		return n
	}
	panic("model: unknown part")
}

// NewCallID returns an ID for a [Call] that is unique in any session. Generators
// use it for every call that they yield.
func NewCallID() string { return "call_" + strings.ToLower(rand.Text()[:20]) }
