package transcript

import (
	"fmt"
	"github.com/emendo-dev/emendo/agent/prompt"
)

// maxDisplay bounds what the user is shown of a call, in bytes.
const maxDisplay = 72 << 10

func BoundDisplay(s string) string {
	if len(s) <= maxDisplay {
		return s
	}
	const note = "\n(the rest, %d bytes, is left out)"
	kept := prompt.Cut(s, maxDisplay-len(note)-16)
	return kept + fmt.Sprintf(note, len(s)-len(kept))
}
