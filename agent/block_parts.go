package agent

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// part is how the model reads a block.
func (b Block) part() model.Part {
	switch b.Type {
	case TextBlock:
		return model.Text{Text: b.Text}
	case ImageBlock, AudioBlock:
		return model.Blob{MIME: b.MIME, Data: b.Data}
	case LinkBlock:
		s := fmt.Sprintf("[%s](%s)", b.Name, b.URI)
		if b.Lines != nil {
			s += fmt.Sprintf(" lines %d to %d", b.Lines.First, b.Lines.Last)
		}
		return model.Text{Text: s}
	case ResourceBlock:
		if len(b.Data) > 0 {
			return model.Blob{MIME: b.MIME, Data: b.Data}
		}
		return model.Text{Text: enclose("resource", b.Text, "uri", b.URI)}
	}
	panic("agent: unknown block type " + string(b.Type))
}

// enclose puts text between tags that it cannot close itself.
func enclose(tag, text string, attrs ...string) string {
	var s strings.Builder
	s.WriteString("<" + tag)
	for i := 0; i+1 < len(attrs); i += 2 {
		fmt.Fprintf(&s, " %s=%q", attrs[i], attrs[i+1])
	}
	s.WriteString(">\n")
	s.WriteString(strings.ReplaceAll(text, "</"+tag, "<\\/"+tag))
	if !strings.HasSuffix(text, "\n") {
		s.WriteByte('\n')
	}
	s.WriteString("</" + tag + ">")
	return s.String()
}
