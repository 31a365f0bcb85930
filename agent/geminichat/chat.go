package geminichat

import (
	"encoding/json"
	"time"
)

// Chat is a conversation.
type Chat struct {
	SessionID   string    `json:"sessionId"`
	ProjectHash string    `json:"projectHash"` // SHA-256 of the project's path, in hex
	StartTime   time.Time `json:"startTime"`
	Kind        string    `json:"kind"` // main, or subagent; empty in old files
	Directories []string  `json:"directories"`
	Summary     string    `json:"summary"`
	Messages    []Message `json:"messages"`
}

// Message is one entry of a conversation.
type Message struct {
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"` // user, gemini, info, error, warning
	Content   Content   `json:"content"`
	ToolCalls []Call    `json:"toolCalls"`
	Thoughts  []Thought `json:"thoughts"`
	Tokens    *Tokens   `json:"tokens"`
	Model     string    `json:"model"`
}

// Call is a tool call with its result.
type Call struct {
	ID            string          `json:"id"`
	Name          string          `json:"name"`
	Args          json.RawMessage `json:"args"`
	Result        Content         `json:"result"`
	Status        string          `json:"status"` // success, error, cancelled, or one of a call that never ended
	DisplayName   string          `json:"displayName"`
	Description   string          `json:"description"`
	ResultDisplay json.RawMessage `json:"resultDisplay"` // a string, or an object of some kind
}

// Thought is a piece of the model's reasoning.
type Thought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// Tokens are the counts of one response.
type Tokens struct {
	Input    int64 `json:"input"`
	Output   int64 `json:"output"`
	Cached   int64 `json:"cached"`
	Thoughts int64 `json:"thoughts"`
	Tool     int64 `json:"tool"`
	Total    int64 `json:"total"`
}

// Content is a list of parts. In a file it may be a text, one part, or a list of
// both.
type Content []Part

// Part is a piece of content, as Google's API writes it.
type Part struct {
	Text             string    `json:"text"`
	Thought          bool      `json:"thought"`
	ThoughtSignature string    `json:"thoughtSignature"`
	InlineData       *Blob     `json:"inlineData"`
	FunctionCall     *Function `json:"functionCall"`
	FunctionResponse *Function `json:"functionResponse"`
}

// Blob is binary content.
type Blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

// Function is a call of a tool, or the answer to one.
type Function struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`     // of a call
	Response json.RawMessage `json:"response"` // of an answer
	Parts    []Part          `json:"parts"`    // of a result: other than text
}

// UnmarshalJSON implements [json.Unmarshaler]. It skips what is not a part.
func (c *Content) UnmarshalJSON(b []byte) error {
	var many []json.RawMessage
	if json.Unmarshal(b, &many) != nil {
		many = []json.RawMessage{b}
	}
	*c = nil
	for _, raw := range many {
		var p Part
		if json.Unmarshal(raw, &p.Text) != nil && json.Unmarshal(raw, &p) != nil {
			continue
		}
		if p.Text != "" || p.InlineData != nil || p.FunctionCall != nil || p.FunctionResponse != nil {
			*c = append(*c, p)
		}
	}
	return nil
}

// Text returns the text of all parts that are neither thoughts nor calls.
func (c Content) Text() string {
	var s string
	for _, p := range c {
		if !p.Thought {
			s += p.Text
		}
	}
	return s
}
