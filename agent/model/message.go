package model

import "encoding/json"

// Role says who speaks in a message.
type Role string

// The two roles of a conversation. What tools answered is the user's turn.
const (
	User  Role = "user"
	Model Role = "model"
)

// Message is one turn of a conversation. Messages are values: whoever holds
// one may not change its parts.
type Message struct {
	ID    string // stable over restarts, unique in a session
	Role  Role
	Parts []Part
}

// Part is a piece of a message: [Text], [Thought], [Blob], [Call] or [Result].
//
//sumtype:decl
type Part interface{ isPart() }

// Text is what was said. An empty text may carry a signature alone.
type Text struct {
	Text      string
	Signature []byte // opaque, goes back to the provider that gave it
	Given     bool   // put beside the user's words by the agent, not typed by the user
}

// Thought is a model's reasoning, shown to the user and never sent back.
type Thought struct {
	Text      string
	Signature []byte
}

// Blob is binary content such as an image.
type Blob struct {
	MIME string
	Data []byte
}

// Call is a function call of the model's.
type Call struct {
	ID         string          // ours: unique in a session
	ProviderID string          // the provider's own id, empty when it gave none
	Name       string          // the tool's name as the model wrote it
	Args       json.RawMessage // a JSON object, the bytes as they came
	Signature  []byte
}

// Result answers a [Call].
type Result struct {
	CallID     string // the ID of the call
	ProviderID string // the ProviderID of the call
	Name       string
	Output     string // what the model reads
	Failed     bool   // Output says what went wrong
	Blobs      []Blob // images and the like that belong to the output
}

func (Text) isPart()    {}
func (Thought) isPart() {}
func (Blob) isPart()    {}
func (Call) isPart()    {}
func (Result) isPart()  {}
