package transcript

import "errors"

// Block is one piece of a prompt's content.
type Block struct {
	Type BlockType `json:"type"`
	Text string    `json:"text,omitempty"` // of a text block, or a text resource
	MIME string    `json:"mime,omitempty"`
	Data []byte    `json:"data,omitempty"` // of an image, audio or binary resource
	URI  string    `json:"uri,omitempty"`
	Name string    `json:"name,omitempty"`
	// Lines is the part of a linked resource that is meant, one-based and
	// inclusive; nil is all of it.
	Lines *Lines `json:"lines,omitempty"`
}

// Lines is a range of lines, one-based, both ends included.
type Lines struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Any says whether there can be such lines.
func (l *Lines) Any() bool { return l != nil && l.Last >= max(l.First, 1) }

// BlockType is the kind of a [Block].
type BlockType string

// The kinds of blocks.
const (
	TextBlock     BlockType = "text"
	ImageBlock    BlockType = "image"
	AudioBlock    BlockType = "audio"
	LinkBlock     BlockType = "resource_link"
	ResourceBlock BlockType = "resource"
)

func (t BlockType) Known() bool {
	switch t {
	case TextBlock, ImageBlock, AudioBlock, LinkBlock, ResourceBlock:
		return true
	}
	return false
}

// ErrNoPrompt says that a prompt has no content.
var ErrNoPrompt = errors.New("the prompt is empty")
