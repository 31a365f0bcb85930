package export

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Listed is a session in a list of the stored ones.
type Listed struct {
	acp.SessionInfo
	// Copies are those of files that its checkpoints hold.
	Copies struct {
		Files int   `json:"files"`
		Bytes int64 `json:"bytes"`
	} `json:"copies,omitzero"`

	info transcript.SessionInfo
}

// NewListed returns a session in a list, with the number and the bytes of its copies.
func NewListed(info transcript.SessionInfo, copies int, size int64) Listed {
	l := Listed{SessionInfo: acp.SessionInfoOf(info), info: info}
	l.Copies.Files, l.Copies.Bytes = copies, size
	return l
}

// Line returns the session on a line whose columns are separated by tabs. printable removes
// what controls a terminal.
func (l Listed) Line(printable func(string) string) string {
	turns, copies := fmt.Sprintf("%d turns", l.info.Turns), ""
	if l.info.Turns == 1 {
		turns = "1 turn"
	}
	if l.Copies.Files > 0 {
		copies = fmt.Sprintf("%.1f MiB of copies", float64(l.Copies.Bytes)/(1<<20))
	}
	title := visible.OneLine(printable(strings.TrimSuffix(l.info.Title+": "+l.info.Summary, ": ")))
	return strings.Join([]string{l.info.ID, l.info.UpdatedAt.Local().Format("2006-01-02 15:04"), turns, copies, title}, "\t")
}
