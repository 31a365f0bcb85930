package lsp

import (
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

// visibleLines is text of a file, whose lines may end in any way, with all that is
// hidden in it spelled out.
func visibleLines(s string) string { return visible.Text(strings.ReplaceAll(s, "\r\n", "\n")) }
