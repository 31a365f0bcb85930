package transcript

import (
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
)

// Part is how the model reads a block; nil when it says nothing.
func (b Block) Part() model.Part {
	switch b.Type {
	case TextBlock:
		if b.Text == "" {
			return nil
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
		return model.Text{Text: prompt.Enclose("resource", b.Text, "uri", b.URI)}
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
