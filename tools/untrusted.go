package tools

import (
	"regexp"
	"strings"
)

var untrustedTag = regexp.MustCompile(`(?i)<(\s*/?\s*untrusted_context)`)

// EncloseUntrusted marks a text from outside as data for the model, and prevents it from closing the mark.
func EncloseUntrusted(s string) string {
	return "<untrusted_context>\n" + strings.TrimSuffix(untrustedTag.ReplaceAllString(s, "&lt;$1"), "\n") + "\n</untrusted_context>"
}

// UntrustedLine returns a name or an error for the text around the mark: on one line, and
// without anything that looks like the mark.
func UntrustedLine(s string) string { return untrustedTag.ReplaceAllString(Shown(s), "&lt;$1") }
