package transcript

import (
	"fmt"
	"regexp"
	"strings"
)

// unclosed finds what a reader may take for the end of a tag.
func unclosed(tag string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)<\s*/\s*(` + regexp.QuoteMeta(tag) + `)`)
}

// Enclose puts text between tags that it cannot close itself.
func Enclose(tag, text string, attrs ...string) string {
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
