package a2a

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// textOf returns the text of a message.
func textOf(m *a2a.Message) string {
	var parts []string
	for _, p := range m.Parts {
		if p, ok := p.(a2a.TextPart); ok {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// blocksOf returns a message as a prompt. Files are images in the message itself:
// the server fetches nothing for a client.
func blocksOf(m *a2a.Message) ([]transcript.Block, error) {
	var blocks []transcript.Block
	for _, p := range m.Parts {
		switch p := p.(type) {
		case a2a.TextPart:
			blocks = append(blocks, transcript.Block{Type: transcript.TextBlock, Text: p.Text})
		case a2a.DataPart:
			b, err := json.Marshal(p.Data)
			if err != nil {
				return nil, fmt.Errorf("the message has data that is not JSON: %w", err)
			}
			blocks = append(blocks, transcript.Block{Type: transcript.TextBlock, Text: "```json\n" + string(b) + "\n```"})
		case a2a.FilePart:
			b, err := fileOf(p)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, b)
		default:
			return nil, fmt.Errorf("the message has a part of the unknown type %T", p)
		}
	}
	if len(blocks) == 0 {
		return nil, errors.New("the message is empty")
	}
	for i := range blocks {
		blocks[i].Relayed = true
	}
	return blocks, nil
}

// fileOf returns a file of a message as a block.
func fileOf(p a2a.FilePart) (transcript.Block, error) {
	f, ok := p.File.(a2a.FileBytes)
	if !ok {
		return transcript.Block{}, errors.New("the message links a file: put its text or its bytes into the message")
	}
	data, err := base64.StdEncoding.DecodeString(f.Bytes)
	if err != nil {
		return transcript.Block{}, fmt.Errorf("the file %q of the message is not base64: %w", f.Name, err)
	}
	switch {
	case strings.HasPrefix(f.MimeType, "image/"):
		return transcript.Block{Type: transcript.ImageBlock, MIME: f.MimeType, Data: data, Name: f.Name}, nil
	case strings.HasPrefix(f.MimeType, "text/"), f.MimeType == "application/json":
		return transcript.Block{Type: transcript.TextBlock, Text: fmt.Sprintf("The file %s:\n\n%s", f.Name, data)}, nil
	}
	return transcript.Block{}, fmt.Errorf("the file %q of the message is %q: send text or images", f.Name, f.MimeType)
}
