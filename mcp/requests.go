package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/form"
	"github.com/emendo-dev/emendo/tools"
)

// Limits on a server's requests between two model requests of the session, and on
// one sampling request.
const (
	maxAsked          = 10
	maxRounds         = 3 // for the user to correct a form
	maxSampleMessages = 100
	maxSampleText     = 256 << 10 // bytes
	maxSampleImages   = 4 << 20   // bytes of all images
	maxSampleTokens   = 8192
)

// requests answers the requests of a session's server. It implements
// [server.Requests].
type requests struct {
	supply *Supply
	config config.Server
}

// refused is the error code of a request that the user declined.
const refused = -1

func refusal(format string, a ...any) error {
	return &jsonrpc.Error{Code: refused, Message: fmt.Sprintf(format, a...)}
}

// asker returns the turn that calls servers, and counts a request against its
// limit.
func (r requests) asker() (state.Asker, error) {
	s := r.supply
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asker == nil {
		return nil, refusal("no turn is running")
	}
	if s.asked[r.config.Name]++; s.asked[r.config.Name] > maxAsked {
		return nil, refusal("more than %d requests in a row", maxAsked)
	}
	return s.asker, nil
}

// Elicit implements [server.Requests].
func (r requests) Elicit(ctx context.Context, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	asker, err := r.asker()
	if err != nil {
		return &sdk.ElicitResult{Action: "decline"}, nil //nolint:nilerr // the protocol's answer for an unavailable user
	}
	if p.Mode == "url" {
		q, err := form.Address(r.config.Name, p.Message, p.URL)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		values, action, err := r.askUser(ctx, asker, []tools.Question{q})
		if action == "accept" && (len(values) == 0 || len(values[0]) == 0 || values[0][0] != "yes") {
			action = "decline"
		}
		return &sdk.ElicitResult{Action: action}, err
	}
	f, err := form.New(r.config.Name, p.Message, p.RequestedSchema)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	var a form.Answers
	for range maxRounds {
		values, action, err := r.askUser(ctx, asker, f.Questions(a.Wrong))
		if err != nil || action != "accept" {
			return &sdk.ElicitResult{Action: action}, err
		}
		if f.Answer(&a, values) {
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
		if a.Wrong == nil {
			return &sdk.ElicitResult{Action: "accept", Content: a.Content}, nil
		}
	}
	return &sdk.ElicitResult{Action: "cancel"}, nil
}

// askUser asks the user. The action is the protocol's name for the outcome.
func (r requests) askUser(ctx context.Context, asker state.Asker, q []tools.Question) (values [][]string, action string, err error) {
	a, err := asker.Elicit(ctx, r.config.Name, q)
	switch {
	case ctx.Err() != nil:
		return nil, "cancel", context.Cause(ctx)
	case errors.Is(err, frontend.ErrCannotElicit), err == nil && a.Declined:
		return nil, "decline", nil
	case err != nil:
		r.supply.o.Log.Warn("ask the user for an MCP server", "server", r.config.Name, "err", err)
		return nil, "cancel", nil
	case a.Cancelled:
		return nil, "cancel", nil
	}
	return a.Values, "accept", nil
}

// Sample implements [server.Requests]. Context of the session is never included.
func (r requests) Sample(ctx context.Context, p *sdk.CreateMessageParams) (*sdk.CreateMessageResult, error) {
	asker, err := r.asker()
	if err != nil {
		return nil, err
	}
	c, err := r.completion(p)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	answer, err := asker.Sample(ctx, c)
	if err != nil {
		return nil, refusal("%v", err)
	}
	stop := "endTurn"
	if answer.Cut {
		stop = "maxTokens"
	}
	return &sdk.CreateMessageResult{Role: "assistant", Model: answer.Model, Content: &sdk.TextContent{Text: answer.Text}, StopReason: stop}, nil
}

// completion converts a sampling request for the model, and for the user's
// approval.
func (r requests) completion(p *sdk.CreateMessageParams) (state.Completion, error) {
	type message struct {
		Role  string `json:"role"`
		Text  string `json:"text,omitempty"`
		Image string `json:"image,omitempty"` // its type and size
	}
	show := struct {
		Server    string    `json:"server"`
		System    string    `json:"systemPrompt,omitempty"`
		MaxTokens int64     `json:"maxTokens"`
		Messages  []message `json:"messages"`
	}{Server: r.config.Name, System: visible.Text(p.SystemPrompt), MaxTokens: min(p.MaxTokens, maxSampleTokens)}
	if show.MaxTokens <= 0 {
		show.MaxTokens = maxSampleTokens
	}
	c := state.Completion{Server: r.config.Name, Trusted: r.config.Trust, System: p.SystemPrompt, MaxTokens: int32(show.MaxTokens)} //nolint:gosec // at most maxSampleTokens
	if t := float32(p.Temperature); t > 0 && t <= 2 {
		c.Temperature = &t
	}
	if len(p.Messages) == 0 || len(p.Messages) > maxSampleMessages {
		return c, fmt.Errorf("want 1 to %d messages", maxSampleMessages)
	}
	size, images := len(p.SystemPrompt), 0
	for _, m := range p.Messages {
		if m == nil {
			return c, errors.New("a message is missing")
		}
		if m.Role != "user" && m.Role != "assistant" {
			return c, errors.New("messages must have the role user or assistant")
		}
		said := state.Message{Model: m.Role == "assistant"}
		shown := message{Role: string(m.Role)}
		switch content := m.Content.(type) {
		case *sdk.TextContent:
			size += len(content.Text)
			said.Text, shown.Text = content.Text, visible.Text(content.Text)
		case *sdk.ImageContent:
			kind := http.DetectContentType(content.Data)
			if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) || said.Model {
				return c, errors.New("images must be PNG, JPEG, GIF or WebP and have the role user")
			}
			images += len(content.Data)
			said.Image = &tools.Blob{MIME: kind, Data: content.Data}
			shown.Image = fmt.Sprintf("%s, %d bytes", kind, len(content.Data))
		default:
			return c, errors.New("messages must be text or images")
		}
		if size > maxSampleText || images > maxSampleImages {
			return c, fmt.Errorf("the messages exceed %d bytes of text or %d bytes of images", maxSampleText, maxSampleImages)
		}
		show.Messages = append(show.Messages, shown)
		c.Messages = append(c.Messages, said)
	}
	if c.Messages[0].Model || c.Messages[len(c.Messages)-1].Model {
		return c, errors.New("the first and the last message must have the role user")
	}
	var err error
	c.Shown, err = json.MarshalIndent(show, "", "  ")
	return c, err
}
