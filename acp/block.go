package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// block is a ContentBlock.
type block struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text,omitempty"`
	Data     []byte          `json:"data,omitempty"` // base64 on the wire
	MIMEType string          `json:"mimeType,omitempty"`
	URI      string          `json:"uri,omitempty"`
	Name     string          `json:"name,omitempty"`
	Resource *resource       `json:"resource,omitempty"`
	Meta     json.RawMessage `json:"_meta,omitempty"`
}

type resource struct {
	URI      string  `json:"uri"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitempty"`
	MIMEType string  `json:"mimeType,omitempty"`
}

// linkMeta is the _meta of a resource link that emendo reads: an LSP range,
// zero-based. An end at the start of a line excludes that line.
type linkMeta struct {
	Range *struct {
		Start struct{ Line, Character int } `json:"start"`
		End   struct{ Line, Character int } `json:"end"`
	} `json:"range"`
}

func textBlock(s string) block { return block{Type: "text", Text: &s} }

// fence returns output as a code block with a fence that the output does not
// contain.
func fence(s string) string {
	f := "```"
	for strings.Contains(s, f) {
		f += "`"
	}
	end := "\n"
	if strings.HasSuffix(s, "\n") {
		end = ""
	}
	return f + "\n" + s + end + f
}

func blockOf(b transcript.Block) block {
	switch b.Type {
	case transcript.TextBlock:
		return textBlock(b.Text)
	case transcript.ImageBlock, transcript.AudioBlock:
		return block{Type: string(b.Type), Data: b.Data, MIMEType: b.MIME, URI: b.URI}
	case transcript.LinkBlock:
		out := block{Type: "resource_link", URI: b.URI, Name: b.Name, MIMEType: b.MIME}
		if l := b.Lines; l != nil {
			out.Meta = json.RawMessage(fmt.Sprintf(`{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":0}}}`, l.First-1, l.Last))
		}
		return out
	case transcript.ResourceBlock:
		r := &resource{URI: b.URI, MIMEType: b.MIME}
		if len(b.Data) > 0 {
			r.Blob = b.Data
		} else {
			r.Text = &b.Text
		}
		return block{Type: "resource", Resource: r}
	}
	panic("acp: unknown block type " + string(b.Type))
}

// Contents encodes the content of a prompt. [Blocks] decodes it.
func Contents(blocks []transcript.Block) []json.RawMessage {
	out := make([]json.RawMessage, len(blocks))
	for i, b := range blocks {
		text, err := json.Marshal(blockOf(b))
		if err != nil {
			panic(err) // texts and bytes encode
		}
		out[i] = text
	}
	return out
}

// Blocks decodes the content of a prompt. Its errors name the invalid block.
func Blocks(raw []json.RawMessage) ([]transcript.Block, error) {
	if len(raw) == 0 {
		return nil, transcript.ErrNoPrompt
	}
	out := make([]transcript.Block, len(raw))
	said := false
	for i, r := range raw {
		var b block
		if err := json.Unmarshal(r, &b); err != nil {
			return nil, fmt.Errorf("block %d of the prompt: %w", i+1, err)
		}
		var err error
		if out[i], err = b.agent(); err != nil {
			return nil, fmt.Errorf("block %d of the prompt: %w", i+1, err)
		}
		said = said || out[i].Type != transcript.TextBlock || strings.TrimSpace(out[i].Text) != ""
	}
	if !said {
		return nil, transcript.ErrNoPrompt
	}
	return out, nil
}

func (b block) agent() (transcript.Block, error) {
	out := transcript.Block{Type: transcript.BlockType(b.Type), MIME: b.MIMEType, URI: b.URI, Name: b.Name}
	switch out.Type {
	case transcript.TextBlock:
		if b.Text == nil {
			return out, errors.New("a text block needs text")
		}
		out.Text = *b.Text
	case transcript.ImageBlock, transcript.AudioBlock:
		if len(b.Data) == 0 || b.MIMEType == "" {
			return out, fmt.Errorf("a block of type %s needs data and mimeType", b.Type)
		}
		out.Data = b.Data
	case transcript.LinkBlock:
		if b.URI == "" {
			return out, errors.New("a resource_link needs a uri")
		}
		if out.Name == "" {
			out.Name = b.URI
		}
		var m linkMeta
		if len(b.Meta) > 0 && json.Unmarshal(b.Meta, &m) == nil && m.Range != nil {
			last := m.Range.End.Line
			if m.Range.End.Character > 0 || last == m.Range.Start.Line {
				last++
			}
			if first := m.Range.Start.Line + 1; 0 < first && first <= last { // else there are no such lines
				out.Lines = &transcript.Lines{First: first, Last: last}
			}
		}
	case transcript.ResourceBlock:
		if b.Resource == nil || b.Resource.Text == nil && len(b.Resource.Blob) == 0 {
			return out, errors.New("a resource block needs a resource with text or blob")
		}
		out.URI, out.MIME, out.Data = b.Resource.URI, b.Resource.MIMEType, b.Resource.Blob
		if b.Resource.Text != nil {
			out.Text = *b.Resource.Text
		}
	default:
		return out, fmt.Errorf("unknown block type %q: want text, image, audio, resource_link or resource", b.Type)
	}
	return out, nil
}
