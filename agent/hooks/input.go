package hooks

import (
	"bytes"
	"encoding/json"
	"maps"
	"time"
)

// Scene describes where an event takes place.
type Scene struct {
	SessionID  string
	Transcript string   // path of the session's log; may be empty
	Cwd        string   // the session's working directory, in which hooks run
	Project    string   // the workspace's folder; for a project's hook, that project's
	Folders    []string // all folders of the workspace
	Plans      string   // the session's folder of plans, which need not exist; may be empty
	At         time.Time
}

// An Input is the event-specific part of what hooks are sent: [ToolInput],
// [ToolOutcome], [PromptInput], [AnswerInput], [StartInput], [EndInput],
// [CompressInput], [RequestInput], [ResponseInput], [SelectionInput] or
// [NotificationInput].
//
//sumtype:decl
type Input interface {
	// Event returns the event that the input belongs to.
	Event() Event
	// subject returns what matchers are compared with.
	subject() string
}

// ToolInput is sent before a tool call.
type ToolInput struct {
	Tool     string          `json:"tool_name"`
	Args     json.RawMessage `json:"tool_input"`
	Original string          `json:"original_request_name,omitempty"` // the tool whose hook made this call, if any
	// Within is the tool whose call this is a part of, see [tools.Part]; empty: it is a call
	// of its own. Hooks that are about that tool are not run again.
	Within string `json:"-"`
}

// ToolOutcome is sent after a tool call.
type ToolOutcome struct {
	ToolInput
	Response ToolResponse `json:"tool_response"`
}

// ToolResponse is the result of a call.
type ToolResponse struct {
	Content string     `json:"llmContent"`    // as the model would see it
	Display string     `json:"returnDisplay"` // as the user sees it
	Error   *ToolError `json:"error,omitempty"`
}

// ToolError describes why a call failed.
type ToolError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

// PromptInput is sent before a turn.
type PromptInput struct {
	Prompt string `json:"prompt"`
}

// AnswerInput is sent after a turn.
type AnswerInput struct {
	Prompt   string `json:"prompt"`
	Response string `json:"prompt_response"`  // everything that the model said in the turn
	Active   bool   `json:"stop_hook_active"` // a hook has made the turn continue
}

// StartInput is sent before the first turn of a session in a process.
type StartInput struct {
	Source string `json:"source"` // startup, resume
}

// EndInput is sent after the last turn.
type EndInput struct {
	Reason string `json:"reason"` // exit, other
}

// CompressInput is sent before a conversation is summarised.
type CompressInput struct {
	Trigger string `json:"trigger"` // manual, auto
}

// RequestInput is sent before a model request.
type RequestInput struct {
	Request json.RawMessage `json:"llm_request"`
}

// SelectionInput is sent before a model request too, once it is complete.
type SelectionInput struct {
	Request json.RawMessage `json:"llm_request"`
}

// ResponseInput is sent for each chunk of the model's answer.
type ResponseInput struct {
	Request  json.RawMessage `json:"llm_request"`
	Response json.RawMessage `json:"llm_response"`
}

// NotificationInput is sent before the user is asked.
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

func (i ToolInput) subject() string       { return i.Tool }
func (PromptInput) subject() string       { return "" }
func (AnswerInput) subject() string       { return "" }
func (i StartInput) subject() string      { return i.Source }
func (i EndInput) subject() string        { return i.Reason }
func (i CompressInput) subject() string   { return i.Trigger }
func (RequestInput) subject() string      { return "" }
func (SelectionInput) subject() string    { return "" }
func (ResponseInput) subject() string     { return "" }
func (NotificationInput) subject() string { return "" }

// after returns the input for the next hook, after one whose output was o.
func after(in Input, o Output) Input {
	switch i := in.(type) { //nolint:gochecksumtype // the others stay as they are
	case ToolInput:
		if changed, ok := o.ToolInput(); ok {
			i.Args = merged(i.Args, changed)
		}
		return i
	case PromptInput:
		if context := o.Context(); context != "" {
			i.Prompt += "\n\n" + context
		}
		return i
	case RequestInput:
		if changed, ok := o.object("llm_request"); ok {
			i.Request = merged(i.Request, changed)
		}
		return i
	case ToolOutcome:
		if text, ok := o.ToolOutput(); ok {
			i.Response.Content, i.Response.Display = text, text
		}
		return i
	case ResponseInput:
		if changed, ok := o.object("llm_response"); ok {
			i.Response = merged(i.Response, changed)
		}
		return i
	}
	return in
}

// merged overlays one JSON object on another, member by member. If over is not
// an object, base is returned.
func merged(base, over json.RawMessage) json.RawMessage {
	have, more := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if json.Unmarshal(over, &more) != nil || json.Unmarshal(base, &have) != nil {
		return base
	}
	maps.Copy(have, more)
	out, err := encode(have)
	if err != nil {
		return base
	}
	return out
}

// encode returns v as JSON with only the necessary escapes.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// isoTime is the time format that scripts receive.
const isoTime = "2006-01-02T15:04:05.000Z"

// text returns what a hook reads from its standard input: one JSON object.
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
