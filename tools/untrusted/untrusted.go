// Package untrusted marks text from outside as data for the model. It does not
// know where the text comes from.
package untrusted

import (
	"strings"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
	"github.com/emendo-dev/emendo/tools"
)

var tag = lazyregexp.New(`(?i)<(\s*/?\s*untrusted_context)`)

// Enclose marks a text as data, and prevents it from closing the mark.
func Enclose(s string) string {
	return "<untrusted_context>\n" + strings.TrimSuffix(tag.ReplaceAllString(s, "&lt;$1"), "\n") + "\n</untrusted_context>"
}

// Line returns a name or an error for the text around the mark: on one line, and
// without anything that looks like the mark.
func Line(s string) string { return tag.ReplaceAllString(tools.Shown(s), "&lt;$1") }
