package anthropic

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// history translates the messages of one request.
type history struct {
	think   bool // thinking blocks are sent
	refused *model.Forgotten
	signed  []string // the signatures of the thinking blocks that are sent

	ids  map[string]string // of calls, by their own IDs
	used map[string]bool   // the IDs that were sent
}

// messages translates a history. Empty parts and messages are dropped, and adjacent
// messages of one role are merged.
func (h *history) messages(in []model.Message) []anthropic.MessageParam {
	h.ids, h.used, h.signed = map[string]string{}, map[string]bool{}, nil
	var out []anthropic.MessageParam
	for _, m := range in {
		role := anthropic.MessageParamRoleUser
		if m.Role == model.Model {
			role = anthropic.MessageParamRoleAssistant
		}
		out = joined(out, anthropic.MessageParam{Role: role, Content: h.blocks(m.Parts)})
	}
	var kept []anthropic.MessageParam
	for _, m := range out {
		kept = joined(kept, anthropic.MessageParam{Role: m.Role, Content: ordered(m)})
	}
	return kept
}

// joined adds a message unless it is empty, to the one before it if that has its role.
func joined(l []anthropic.MessageParam, m anthropic.MessageParam) []anthropic.MessageParam {
	if len(m.Content) == 0 {
		return l
	}
	if n := len(l); n > 0 && l[n-1].Role == m.Role {
		l[n-1].Content = append(l[n-1].Content, m.Content...)
		return l
	}
	return append(l, m)
}

// ordered puts results first, as the API demands, and drops thinking at the end of a
// message of the model, which nothing follows.
func ordered(m anthropic.MessageParam) []anthropic.ContentBlockParamUnion {
	if m.Role == anthropic.MessageParamRoleAssistant {
		n := len(m.Content)
		for n > 0 && thinks(m.Content[n-1]) {
			n--
		}
		return m.Content[:n]
	}
	var results, rest []anthropic.ContentBlockParamUnion
	for _, b := range m.Content {
		if b.OfToolResult != nil {
			results = append(results, b)
		} else {
			rest = append(rest, b)
		}
	}
	return append(results, rest...)
}

// blocks translates the parts of a message. Binary output that a result cannot
// contain follows all the results.
func (h *history) blocks(parts []model.Part) []anthropic.ContentBlockParamUnion {
	var out, beside []anthropic.ContentBlockParamUnion
	for _, p := range parts {
		switch p := p.(type) {
		case model.Text:
			out = h.thought(out, p.Signature)
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, anthropic.NewTextBlock(p.Text))
			}
		case model.Thought:
			out = h.thought(out, p.Signature)
		case model.Blob:
			if len(p.Data) > 0 {
				out = append(out, attachment(p))
			}
		case model.Call:
			out = h.thought(out, p.Signature)
			out = append(out, anthropic.NewToolUseBlock(h.id(p.ID, p.ProviderID), model.ObjectOf(p.Args), toolName(p.Name)))
		case model.Result:
			r, rest := h.result(p)
			out = append(out, r)
			beside = append(beside, rest...)
		default:
			panic(fmt.Sprintf("anthropic: unknown part %T", p))
		}
	}
	return append(out, beside...)
}

// thought appends the thinking block in a signature.
func (h *history) thought(out []anthropic.ContentBlockParamUnion, signature []byte) []anthropic.ContentBlockParamUnion {
	b, ok := unsign(signature)
	if !ok || !h.think || h.refused.Has(string(signature)) {
		return out
	}
	h.signed = append(h.signed, string(signature))
	return append(out, b)
}

// maxID bounds IDs of calls, in bytes. The API has no limit.
const maxID = 1 << 10

// id returns the API's ID of a call: the one that it issued, else emendo's, in
// characters that it accepts. A result gets the ID of its call.
func (h *history) id(own, theirs string) string {
	if id, ok := h.ids[own]; ok {
		return id
	}
	id := own
	switch {
	case strings.HasPrefix(theirs, "toolu_") && transport.IsName(theirs, maxID):
		id = theirs
	case !transport.IsName(own, maxID):
		id = "call_" + transport.Digest(own+"\x00"+theirs, 10)
	}
	if h.used[id] { // imported conversations may have an ID twice
		id = "call_" + transport.Digest(fmt.Sprintf("%s\x00%d", id, len(h.used)), 10)
	}
	h.used[id], h.ids[own] = true, id
	return id
}

// toolName returns the name of a tool in the API's characters. Names that have others
// become ones with a hash, which no other tool has.
func toolName(name string) string { return transport.Name(name, 128, 10) }

// result translates the result of a call. It also returns the blocks that the result
// cannot contain: that of a failed call contains text only.
func (h *history) result(r model.Result) (anthropic.ContentBlockParamUnion, []anthropic.ContentBlockParamUnion) {
	b := &anthropic.ToolResultBlockParam{ToolUseID: h.id(r.CallID, r.ProviderID)}
	if r.Failed {
		b.IsError = param.NewOpt(true)
	}
	if strings.TrimSpace(r.Output) != "" {
		b.Content = append(b.Content, anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: r.Output}})
	}
	var beside []anthropic.ContentBlockParamUnion
	for _, blob := range r.Blobs {
		if len(blob.Data) == 0 {
			continue
		}
		a := attachment(blob)
		if r.Failed {
			beside = append(beside, a)
			continue
		}
		b.Content = append(b.Content, anthropic.ToolResultBlockParamContentUnion{OfText: a.OfText, OfImage: a.OfImage, OfDocument: a.OfDocument})
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: b}, beside
}

// attachment translates binary content. Of what the API does not accept the model is
// told, so that it does not guess.
func attachment(b model.Blob) anthropic.ContentBlockParamUnion {
	switch kind := b.MediaType(); {
	case slices.Contains(model.PictureTypes, kind):
		return anthropic.NewImageBlockBase64(kind, base64.StdEncoding.EncodeToString(b.Data))
	case kind == "application/pdf":
		return anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(b.Data)})
	case strings.HasPrefix(kind, "text/") && len(bytes.TrimSpace(b.Data)) > 0:
		return anthropic.NewDocumentBlock(anthropic.PlainTextSourceParam{Data: string(bytes.ToValidUTF8(b.Data, []byte("\ufffd")))})
	}
	return anthropic.NewTextBlock(fmt.Sprintf("[%d bytes of type %q are left out: this model does not read this type]", len(b.Data), b.MIME))
}
