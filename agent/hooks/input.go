package hooks

import (
	"bytes"
	"encoding/json"
	"time"
)

// Scene is where an event takes place.
type Scene struct {
	SessionID  string
	Transcript string   // the session's log; empty when there is none
	Cwd        string   // the session's folder, in which hooks run
	Project    string   // the workspace's folder; for a project's hook, that project's
	Folders    []string // all of the workspace's
	Plans      string   // the session's folder of plans, which may be yet to come; empty when there is none
	At         time.Time
}

// An Input is what the hooks of an event are told beside the scene:
// [ToolInput], [ToolOutcome], [PromptInput], [AnswerInput], [StartInput],
// [EndInput], [CompressInput], [RequestInput], [ResponseInput],
// [SelectionInput] or [NotificationInput].
//
//sumtype:decl
type Input interface {
	// Event that the input belongs to.
	Event() Event
	// subject is what matchers are compared with.
	subject() string
	// after is what the next hook is told when one that has said o ran before it.
	after(o Output) Input
}

// ToolInput goes before a call.
type ToolInput struct {
	Tool     string          `json:"tool_name"`
	Args     json.RawMessage `json:"tool_input"`
	Original string          `json:"original_request_name,omitempty"` // of a call that another one has led to
}

// ToolOutcome goes behind a call.
type ToolOutcome struct {
	ToolInput
	Response ToolResponse `json:"tool_response"`
}

// ToolResponse is what came of a call.
type ToolResponse struct {
	Content string     `json:"llmContent"`    // what the model would read
	Display string     `json:"returnDisplay"` // what the user sees
	Error   *ToolError `json:"error,omitempty"`
}

// ToolError is why a call failed.
type ToolError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

// PromptInput goes before a turn.
type PromptInput struct {
	Prompt string `json:"prompt"`
}

// AnswerInput goes behind a turn.
type AnswerInput struct {
	Prompt   string `json:"prompt"`
	Response string `json:"prompt_response"`  // all that the model said in the turn
	Active   bool   `json:"stop_hook_active"` // the turn goes on because a hook wanted it so
}

// StartInput goes before the first turn of a session in a process.
type StartInput struct {
	Source string `json:"source"` // startup, resume
}

// EndInput goes behind the last turn.
type EndInput struct {
	Reason string `json:"reason"` // exit, other
}

// CompressInput goes before a conversation is summed up.
type CompressInput struct {
	Trigger string `json:"trigger"` // manual, auto
}

// RequestInput goes before a model request.
type RequestInput struct {
	Request json.RawMessage `json:"llm_request"`
}

// SelectionInput goes before a model request too, once it stands.
type SelectionInput struct {
	Request json.RawMessage `json:"llm_request"`
}

// ResponseInput goes behind each piece of the model's answer.
type ResponseInput struct {
	Request  json.RawMessage `json:"llm_request"`
	Response json.RawMessage `json:"llm_response"`
}

// NotificationInput goes before a question to the user.
type NotificationInput struct {
	Type    string         `json:"notification_type"` // ToolPermission
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// Event implements [Input].
func (ToolInput) Event() Event { return BeforeTool }

// Event implements [Input].
func (ToolOutcome) Event() Event { return AfterTool }

// Event implements [Input].
func (PromptInput) Event() Event { return BeforeAgent }

// Event implements [Input].
func (AnswerInput) Event() Event { return AfterAgent }

// Event implements [Input].
func (StartInput) Event() Event { return SessionStart }

// Event implements [Input].
func (EndInput) Event() Event { return SessionEnd }

// Event implements [Input].
func (CompressInput) Event() Event { return PreCompress }

// Event implements [Input].
func (RequestInput) Event() Event { return BeforeModel }

// Event implements [Input].
func (SelectionInput) Event() Event { return BeforeToolSelection }

// Event implements [Input].
func (ResponseInput) Event() Event { return AfterModel }

// Event implements [Input].
func (NotificationInput) Event() Event { return Notification }

func (i ToolInput) subject() string     { return i.Tool }
func (i ToolOutcome) subject() string   { return i.Tool }
func (PromptInput) subject() string     { return "" }
func (AnswerInput) subject() string     { return "" }
func (i StartInput) subject() string    { return i.Source }
func (i EndInput) subject() string      { return i.Reason }
func (i CompressInput) subject() string { return i.Trigger }
func (RequestInput) subject() string    { return "" }
func (SelectionInput) subject() string  { return "" }
func (ResponseInput) subject() string   { return "" }
func (NotificationInput) subject() string {
	return ""
}

func (i ToolInput) after(o Output) Input {
	if changed, ok := o.ToolInput(); ok {
		i.Args = merged(i.Args, changed)
	}
	return i
}

func (i PromptInput) after(o Output) Input {
	if context := o.Context(); context != "" {
		i.Prompt += "\n\n" + context
	}
	return i
}

func (i RequestInput) after(o Output) Input {
	if changed, ok := o.object("llm_request"); ok {
		i.Request = merged(i.Request, changed)
	}
	return i
}

func (i ToolOutcome) after(o Output) Input {
	if text, ok := o.ToolOutput(); ok {
		i.Response.Content, i.Response.Display = text, text
	}
	return i
}

func (i ResponseInput) after(o Output) Input {
	if changed, ok := o.object("llm_response"); ok {
		i.Response = merged(i.Response, changed)
	}
	return i
}

func (i AnswerInput) after(Output) Input       { return i }
func (i StartInput) after(Output) Input        { return i }
func (i EndInput) after(Output) Input          { return i }
func (i CompressInput) after(Output) Input     { return i }
func (i SelectionInput) after(Output) Input    { return i }
func (i NotificationInput) after(Output) Input { return i }

// merged lays one JSON object over another, name by name. What is no object
// changes nothing.
func merged(base, over json.RawMessage) json.RawMessage {
	have, more := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if json.Unmarshal(over, &more) != nil {
		return base
	}
	if json.Unmarshal(base, &have) != nil {
		return base
	}
	for name, value := range more {
		have[name] = value
	}
	out, err := encode(have)
	if err != nil {
		return base
	}
	return out
}

// encode is v as JSON, in which nothing is escaped that need not be.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// isoTime is how scripts are told a time.
const isoTime = "2006-01-02T15:04:05.000Z"

// text is what a hook reads: one JSON object.
func (s Scene) text(in Input) ([]byte, error) {
	head, err := encode(struct {
		Session    string `json:"session_id"`
		Transcript string `json:"transcript_path"`
		Cwd        string `json:"cwd"`
		Event      Event  `json:"hook_event_name"`
		At         string `json:"timestamp"`
	}{s.SessionID, s.Transcript, s.Cwd, in.Event(), s.At.UTC().Format(isoTime)})
	if err != nil {
		return nil, err
	}
	body, err := encode(in)
	if err != nil {
		return nil, err
	}
	head[len(head)-1] = ','
	return append(head, body[1:]...), nil // every input has a field
}
