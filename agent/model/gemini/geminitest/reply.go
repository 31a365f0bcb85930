package geminitest

import (
	"encoding/json"
	"net/http"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Reply is what the server does with one request: it rejects it, or streams the
// events in the given framing, with the given end.
type Reply struct {
	Refusal *Refusal
	Events  []Event

	Header http.Header
	Hold   <-chan struct{} // nothing is sent before this is closed, not even headers
	Frame  servertest.Frame
	End    servertest.End
}

// Event is one event of a stream.
type Event struct {
	Parts     []Part
	Finish    string // finishReason
	Usage     *Usage // nil: counts that grow with the parts
	Block     string // promptFeedback.blockReason
	Citations []Citation
	Grounding json.RawMessage // groundingMetadata
	Error     *Refusal        // an error object instead of an answer
	Raw       string          // data to send unchanged, instead of all the above
	Bare      bool            // Raw is not even framed as data
	Hold      <-chan struct{} // wait for this to be closed first
}

// Part is a part of an answer or of a request.
type Part struct {
	Text                *string         `json:"text,omitempty"`
	Thought             bool            `json:"thought,omitempty"`
	ThoughtSignature    string          `json:"thoughtSignature,omitempty"` // base64
	InlineData          *Blob           `json:"inlineData,omitempty"`
	FileData            *FileData       `json:"fileData,omitempty"`
	FunctionCall        *FunctionCall   `json:"functionCall,omitempty"`
	FunctionResponse    *FunctionResult `json:"functionResponse,omitempty"`
	ExecutableCode      json.RawMessage `json:"executableCode,omitempty"`
	CodeExecutionResult json.RawMessage `json:"codeExecutionResult,omitempty"`
	VideoMetadata       json.RawMessage `json:"videoMetadata,omitempty"`
	MediaResolution     json.RawMessage `json:"mediaResolution,omitempty"`
}

// Blob is inline binary data.
type Blob struct {
	MIMEType    string `json:"mimeType,omitempty"`
	Data        string `json:"data,omitempty"` // base64
	DisplayName string `json:"displayName,omitempty"`
}

// FileData names an uploaded file.
type FileData struct {
	MIMEType    string `json:"mimeType,omitempty"`
	FileURI     string `json:"fileUri,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
}

// FunctionCall is a call by the model.
type FunctionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
}

// FunctionResult answers a call.
type FunctionResult struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Parts    []struct {
		InlineData *Blob     `json:"inlineData,omitempty"`
		FileData   *FileData `json:"fileData,omitempty"`
	} `json:"parts,omitempty"`
}

// Content is one turn of a request.
type Content struct {
	Role  string `json:"role,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// Usage is usageMetadata.
type Usage struct {
	Prompt   int `json:"promptTokenCount,omitempty"`
	Answer   int `json:"candidatesTokenCount,omitempty"`
	Cached   int `json:"cachedContentTokenCount,omitempty"`
	Thoughts int `json:"thoughtsTokenCount,omitempty"`
	Tools    int `json:"toolUsePromptTokenCount,omitempty"`
	Total    int `json:"totalTokenCount,omitempty"`
}

// Citation is a source, sent as citation metadata.
type Citation struct {
	Title string `json:"title,omitempty"`
	URI   string `json:"uri,omitempty"`
}

// Say returns a reply with texts, an event each, that stops.
func Say(texts ...string) Reply {
	var r Reply
	for _, t := range texts {
		r.Events = append(r.Events, Text(t))
	}
	return r.Stop("STOP")
}

// Stop adds a finish reason to the last event.
func (r Reply) Stop(reason string) Reply {
	if len(r.Events) == 0 {
		r.Events = []Event{{}}
	}
	r.Events[len(r.Events)-1].Finish = reason
	return r
}

// Do returns a reply of the given events, the last of which stops.
func Do(events ...Event) Reply { return Reply{Events: events}.Stop("STOP") }

// Text returns an event with a text.
func Text(text string) Event { return Event{Parts: []Part{{Text: &text}}} }

// Think returns an event with a thought.
func Think(text string) Event { return Event{Parts: []Part{{Text: &text, Thought: true}}} }

// Call returns an event that calls a function with arguments in JSON.
func Call(name, args string) Event {
	return Event{Parts: []Part{{FunctionCall: &FunctionCall{Name: name, Args: json.RawMessage(args)}}}}
}

// Join merges the parts of several events into one.
func Join(events ...Event) Event {
	var out Event
	for _, e := range events {
		out.Parts = append(out.Parts, e.Parts...)
	}
	return out
}
