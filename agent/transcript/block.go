package transcript

import (
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/secret"
)

// Block is one piece of a prompt's content.
type Block struct {
	Type BlockType `json:"type"`
	Text string    `json:"text,omitempty"` // of a text block, or a text resource
	MIME string    `json:"mime,omitempty"`
	Data []byte    `json:"data,omitempty"` // of an image, audio or binary resource
	URI  string    `json:"uri,omitempty"`
	Name string    `json:"name,omitempty"`
	// Passed is set for a text that the user passed on beside a prompt, such as that
	// of standard input: others may have written it.
	Passed bool `json:"passed,omitempty"`
	// Relayed is set for a block of a message that the user has not written, such as that of
	// a program that only speaks for a user, or a text that came into a chat document from the
	// disk: it names no addresses, and does not end the caution after untrusted content.
	Relayed bool `json:"relayed,omitempty"`
	// Lines selects a part of a linked resource; nil means all of it.
	Lines *Lines `json:"lines,omitempty"`
	// Mention is set if the user inserted the block from a completion.
	Mention *Mention `json:"mention,omitempty"`
	// Comment is set if the text is a comment of the user's on lines of a file.
	Comment *Comment `json:"comment,omitempty"`
}

// A Mention describes a block that the user inserted from a completion, so that
// front ends can show it as such.
type Mention struct {
	Kind  string `json:"kind"`            // one of the Mention… constants; others are stored unchanged
	Label string `json:"label,omitempty"` // for the user
}

// The kinds of mentions.
const (
	MentionFile      = "file"
	MentionEditor    = "editor"  // a file that is open in the editor
	MentionChanges   = "changes" // a diff
	MentionReview    = "review"  // a diff to review
	MentionFolder    = "folder"
	MentionSymbol    = "symbol"
	MentionSelection = "selection"
	MentionProblems  = "problems"
	MentionComment   = "comment" // on lines of a file
)

// ProblemsURI is the URI of a link to the problems that the editor shows.
const ProblemsURI = "emendo:problems"

// WholeFile reports whether the block mentions a file that is to be sent whole.
func (b Block) WholeFile() bool {
	return b.Type == LinkBlock && b.Lines == nil && b.Mention != nil && (b.Mention.Kind == MentionFile || b.Mention.Kind == MentionEditor)
}

// Lines is a range of lines, one-based, both ends included.
type Lines struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Any reports whether the range can contain a line.
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

// Known reports whether t is one of the block types.
func (t BlockType) Known() bool {
	switch t {
	case TextBlock, ImageBlock, AudioBlock, LinkBlock, ResourceBlock:
		return true
	}
	return false
}

// ErrNoPrompt means that a prompt has no content.
var ErrNoPrompt = errors.New("the prompt is empty")

// Said reports whether the block is text of the user's own. Only that names files
// and commands.
func (b Block) Said() bool { return b.Type == TextBlock && !b.Passed }

// WithoutSecrets returns the block as it may be sent: of an attached diff without
// the content of files that hold secrets, since a client may make diffs by itself.
func (b Block) WithoutSecrets() Block {
	if b.Type == ResourceBlock && b.Text != "" && (strings.Contains(b.MIME, "diff") || strings.Contains(b.MIME, "patch") || b.Mention != nil && (b.Mention.Kind == MentionChanges || b.Mention.Kind == MentionReview)) {
		b.Text, _ = secret.Diff(b.Text)
	}
	return b
}

// Part returns the block for the model, or nil if it is empty.
func (b Block) Part() model.Part {
	switch b.Type {
	case TextBlock:
		if b.Text == "" {
			return nil
		}
		if b.Comment != nil {
			return model.Text{Text: b.Comment.request()}
		}
		return model.Text{Text: b.Text}
	case ImageBlock, AudioBlock:
		return b.blob()
	case LinkBlock:
		s := fmt.Sprintf("[%s](%s)", b.Name, b.URI)
		if l := b.Lines; l.Any() {
			s += fmt.Sprintf(" lines %d to %d", max(l.First, 1), l.Last)
		}
		return model.Text{Text: s}
	case ResourceBlock:
		if len(b.Data) > 0 {
			return b.blob()
		}
		return model.Text{Text: Enclose("resource", b.Text, "uri", b.URI)}
	}
	return nil
}

func (b Block) blob() model.Part {
	if len(b.Data) == 0 {
		return nil
	}
	if b.MIME == "" {
		b.MIME = "application/octet-stream"
	}
	return model.Blob{MIME: b.MIME, Data: b.Data}
}
