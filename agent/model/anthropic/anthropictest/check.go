package anthropictest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif" // for image.DecodeConfig
	_ "image/jpeg"
	_ "image/png"
	"regexp"
	"slices"
	"strings"
)

// What the API accepts of images.
const (
	maxImage  = 5 << 20 // bytes in base64
	maxSide   = 8000    // pixels
	manyLimit = 20      // images in a request, of which more must be smaller
	maxOfMany = 2000    // pixels
)

// maxBreakpoints is how many blocks may have cache_control.
const maxBreakpoints = 4

// checker checks one request.
type checker struct {
	s        *Server
	m        Model
	in       *request
	counting bool

	breakpoints int
	calls       map[string]bool // IDs of all calls
	sides       []int           // the longer sides of all images
}

// check rejects a request that the API rejects.
func (c *checker) check() *Refusal {
	if len(c.in.Messages) == 0 {
		return invalid("messages: at least one message is required")
	}
	c.calls = map[string]bool{}
	for i, m := range c.in.Messages {
		if r := c.message(i, m); r != nil {
			return r
		}
	}
	for i, b := range c.in.System {
		if b.Type != "text" {
			return invalid("system.%d.type: Input should be 'text'", i)
		}
		if r := c.text("system", b); r != nil {
			return r
		}
		c.cached(b.CacheControl)
	}
	for _, check := range []func() *Refusal{c.order, c.answers, c.tools, c.thinking, c.sampling, c.signatures} {
		if r := check(); r != nil {
			return r
		}
	}
	for _, side := range c.sides {
		switch {
		case len(c.sides) > manyLimit && side > maxOfMany:
			return invalid("At least one of the image dimensions exceed max allowed size for many-image requests: %d pixels", maxOfMany)
		case side > maxSide:
			return invalid("At least one of the image dimensions exceed max allowed size: %d pixels", maxSide)
		}
	}
	if c.breakpoints > maxBreakpoints {
		return invalid("A maximum of %d blocks with cache_control may be provided. Found %d.", maxBreakpoints, c.breakpoints)
	}
	return nil
}

func (c *checker) cached(mark *cacheControl) {
	if mark != nil {
		c.breakpoints++
	}
}

// message checks one message alone.
func (c *checker) message(i int, m Message) *Refusal {
	if m.Role != "user" && m.Role != "assistant" {
		return invalid("messages.%d.role: Input should be 'user' or 'assistant'", i)
	}
	if len(m.Content) == 0 {
		return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
	}
	others := false // a block that is not a result
	for j, b := range m.Content {
		at := fmt.Sprintf("messages.%d.content.%d", i, j)
		ofModel := b.Type == "tool_use" || b.Type == "thinking" || b.Type == "redacted_thinking"
		switch {
		case ofModel && m.Role == "user":
			return invalid("messages.%d: `%s` blocks can only be in `assistant` messages", i, b.Type)
		case b.Type == "tool_result" && m.Role == "assistant":
			return invalid("messages.%d: `tool_result` blocks can only be in `user` messages", i)
		case b.Type == "tool_result" && others:
			return invalid("%s: `tool_result` blocks must come before all other content of a message", at)
		}
		others = others || b.Type != "tool_result"
		if r := c.block(at, b); r != nil {
			return r
		}
	}
	if last := m.Content[len(m.Content)-1]; m.Role == "assistant" && (last.Type == "thinking" || last.Type == "redacted_thinking") {
		return invalid("messages.%d: The final block in an assistant message cannot be `thinking`.", i)
	}
	return nil
}

var toolUseID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// block checks a block alone.
func (c *checker) block(at string, b Block) *Refusal {
	c.cached(b.CacheControl)
	switch b.Type {
	case "text":
		return c.text(at, b)
	case "image", "document":
		return c.source(at, b)
	case "tool_use":
		switch {
		case !toolUseID.MatchString(b.ID):
			return invalid("%s.tool_use.id: String should match pattern '%s'", at, toolUseID)
		case c.calls[b.ID]:
			return invalid("messages: `tool_use` ids must be unique")
		case !toolName.MatchString(b.Name):
			return invalid("%s.tool_use.name: String should match pattern '%s'", at, toolName)
		case !isObject(b.Input):
			return invalid("%s.tool_use.input: Input should be a valid dictionary", at)
		}
		c.calls[b.ID] = true
	case "tool_result":
		for k, inner := range b.Content {
			at := fmt.Sprintf("%s.tool_result.content.%d", at, k)
			switch {
			case inner.Type != "text" && inner.Type != "image" && inner.Type != "document":
				return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, inner.Type)
			case b.IsError && inner.Type != "text":
				return invalid("%s: all content must be type `text` if `is_error` is true", at)
			}
			if r := c.block(at, inner); r != nil {
				return r
			}
		}
	}
	return nil
}

func (c *checker) text(at string, b Block) *Refusal {
	switch {
	case b.Text == "":
		return invalid("%s: text content blocks must be non-empty", at)
	case strings.TrimSpace(b.Text) == "":
		return invalid("%s: text content blocks must contain non-whitespace text", at)
	}
	return nil
}

var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

func (c *checker) source(at string, b Block) *Refusal {
	s := b.Source
	at += "." + b.Type + ".source"
	if s == nil {
		return invalid("%s: Input should be a valid dictionary", at)
	}
	if b.Type == "document" && s.Type == "text" {
		if s.MediaType != "text/plain" || s.Data == "" {
			return invalid("%s.text: Input should be plain text", at)
		}
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(s.Data)
	switch {
	case s.Type != "base64":
		return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, s.Type)
	case b.Type == "image" && !slices.Contains(imageTypes, s.MediaType):
		return invalid("%s.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", at)
	case b.Type == "document" && s.MediaType != "application/pdf":
		return invalid("%s.base64.media_type: Input should be 'application/pdf'", at)
	case err != nil || len(data) == 0:
		return invalid("%s.base64.data: Invalid base64 data", at)
	case b.Type == "image" && len(s.Data) > maxImage:
		return invalid("%s.base64: image exceeds 5 MB maximum: %d bytes > %d bytes", at, len(s.Data), maxImage)
	case b.Type == "image":
		size, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil { // WebP, and what tests have instead of pictures
			size = image.Config{Width: 1, Height: 1}
		}
		c.sides = append(c.sides, max(size.Width, size.Height))
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}

// order checks the order of roles. The API itself joins messages of one role.
func (c *checker) order() *Refusal {
	ms := c.in.Messages
	if ms[0].Role != "user" {
		return invalid(`messages: first message must use the "user" role`)
	}
	for i, m := range ms[1:] {
		if m.Role == ms[i].Role {
			return invalid("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", m.Role)
		}
	}
	if last := ms[len(ms)-1]; last.Role == "assistant" && !slices.ContainsFunc(last.Content, func(b Block) bool { return b.Type == "server_tool_use" }) {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	return nil
}

// answers pairs the calls of each message with the results in the next.
func (c *checker) answers() *Refusal {
	var asked []string
	for i, m := range c.in.Messages {
		answered := map[string]bool{}
		for j, b := range m.Content {
			if b.Type != "tool_result" {
				continue
			}
			switch {
			case !slices.Contains(asked, b.ToolUseID):
				return invalid("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, b.ToolUseID)
			case answered[b.ToolUseID]:
				return invalid("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, b.ToolUseID)
			}
			answered[b.ToolUseID] = true
		}
		for _, id := range asked {
			if !answered[id] {
				return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, id)
			}
		}
		asked = nil
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				asked = append(asked, b.ID)
			}
		}
	}
	return nil
}

// sampling checks the limits and the sampling of an answer.
func (c *checker) sampling() *Refusal {
	in := c.in
	if c.counting {
		return nil
	}
	thinks := in.Thinking != nil && in.Thinking.Type != "disabled"
	outside := func(v *float64) bool { return v != nil && (*v < 0 || *v > 1) }
	switch n := *in.MaxTokens; {
	case !in.Stream:
		return invalid("this server streams only: stream is missing")
	case n < 1:
		return invalid("max_tokens: Input should be greater than or equal to 1")
	case n > c.m.Output:
		return invalid("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", n, c.m.Output, c.m.ID)
	case outside(in.Temperature):
		return invalid("temperature: range: 0..1")
	case outside(in.TopP):
		return invalid("top_p: range: 0..1")
	case in.TopK != nil && *in.TopK < 1:
		return invalid("top_k: Input should be greater than or equal to 1")
	case !c.m.Samples && (in.Temperature != nil || in.TopP != nil || in.TopK != nil):
		return invalid("`temperature`, `top_p` and `top_k` are not supported by this model.")
	case in.Temperature != nil && in.TopP != nil:
		return invalid("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	case thinks && in.Temperature != nil && *in.Temperature != 1:
		return invalid("`temperature` may only be set to 1 when thinking is enabled.")
	case thinks && in.TopK != nil:
		return invalid("`top_k` must be unset when thinking is enabled.")
	case thinks && in.TopP != nil && *in.TopP < 0.95:
		return invalid("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
	}
	for _, s := range in.StopSequences {
		if strings.TrimSpace(s) == "" {
			return invalid("stop_sequences: each stop sequence must contain non-whitespace")
		}
	}
	return nil
}
