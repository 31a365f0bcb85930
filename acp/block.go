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

// blockMeta is the _meta of a block that emendo reads and sends: for a resource link
// an LSP range, zero-based, of which an end at the start of a line excludes that
// line; and for any block how the user inserted it.
type blockMeta struct {
	Range  *blockRange         `json:"range,omitempty"`
	Emendo *transcript.Mention `json:"emendo,omitempty"`
	// Comment is that which the text has, with the lines that it is about.
	Comment *transcript.Comment `json:"comment,omitempty"`
}

type blockRange struct {
	Start blockPosition `json:"start"`
	End   blockPosition `json:"end"`
}

type blockPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Limits of what a client says about a block, in characters.
const (
	maxMentionKind  = 40
	maxMentionLabel = 200
)

// mentionOf returns what a client says about a block, or nil.
func mentionOf(m *transcript.Mention) *transcript.Mention {
	if m == nil || m.Kind == "" {
		return nil
	}
	return &transcript.Mention{Kind: transcript.CleanTitle(m.Kind, maxMentionKind), Label: transcript.CleanTitle(m.Label, maxMentionLabel)}
}

func textBlock(s string) block { return block{Type: "text", Text: &s} }

func blockOf(b transcript.Block) block {
	out := contentOf(b)
	m := blockMeta{Emendo: b.Mention, Comment: b.Comment}
	if b.Comment != nil {
		m.Emendo = &transcript.Mention{Kind: transcript.MentionComment, Label: b.Comment.Place(false)}
	}
	if l := b.Lines; l != nil && b.Type == transcript.LinkBlock {
		m.Range = &blockRange{Start: blockPosition{Line: l.First - 1}, End: blockPosition{Line: l.Last}}
	}
	if m != (blockMeta{}) {
		text, err := json.Marshal(m)
		if err != nil {
			panic(err) // numbers and texts encode
		}
		out.Meta = text
	}
	return out
}

// contentOf returns a block without its _meta.
func contentOf(b transcript.Block) block {
	switch b.Type {
	case transcript.TextBlock:
		if b.Comment != nil {
			return textBlock(b.Comment.Markdown())
		}
		return textBlock(b.Text)
	case transcript.ImageBlock, transcript.AudioBlock:
		return block{Type: string(b.Type), Data: b.Data, MIMEType: b.MIME, URI: b.URI}
	case transcript.LinkBlock:
		return block{Type: "resource_link", URI: b.URI, Name: b.Name, MIMEType: b.MIME}
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
	var m blockMeta
	if len(b.Meta) > 0 && json.Unmarshal(b.Meta, &m) != nil {
		m = blockMeta{} // other programs' data, which may have any shape
	}
	out.Mention = mentionOf(m.Emendo)
	switch out.Type {
	case transcript.TextBlock:
		if b.Text == nil {
			return out, errors.New("a text block needs text")
		}
		out.Text = *b.Text
		if m.Comment != nil && m.Comment.Text != "" {
			out = m.Comment.Block()
		}
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
		if m.Range != nil {
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
