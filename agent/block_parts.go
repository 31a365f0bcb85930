package agent

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// part is how the model reads a block; nil when it says nothing.
func (b Block) part() model.Part {
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
		if l := b.Lines; l.any() {
			s += fmt.Sprintf(" lines %d to %d", max(l.First, 1), l.Last)
		}
		return model.Text{Text: s}
	case ResourceBlock:
		if len(b.Data) > 0 {
			return b.blob()
		}
		return model.Text{Text: enclose("resource", b.Text, "uri", b.URI)}
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

// unclosed finds what a reader may take for the end of a tag.
func unclosed(tag string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)<\s*/\s*(` + regexp.QuoteMeta(tag) + `)`)
}

// enclose puts text between tags that it cannot close itself.
func enclose(tag, text string, attrs ...string) string {
	var s strings.Builder
	s.WriteString("<" + tag)
	for i := 0; i+1 < len(attrs); i += 2 {
		fmt.Fprintf(&s, " %s=%q", attrs[i], attrs[i+1])
	}
	s.WriteString(">\n")
	s.WriteString(unclosed(tag).ReplaceAllString(text, `<\/${1}`))
	if !strings.HasSuffix(text, "\n") {
		s.WriteByte('\n')
	}
	s.WriteString("</" + tag + ">")
	return s.String()
}
