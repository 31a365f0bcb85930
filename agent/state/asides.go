package state

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/aside"
)

// mostNamed bounds how many names a notice has.
const mostNamed = 5

// MovedAside tells the user what was moved aside and how to put it back, in the running turn
// or between turns.
func (s *Session) MovedAside(l []aside.File) {
	if len(l) == 0 {
		return
	}
	s.Asides.Add(l)
	var names []string
	for _, m := range l[:min(len(l), mostNamed)] {
		names = append(names, tools.Shown(m.From)+" (now "+tools.Shown(filepath.Base(m.To))+")")
	}
	if more := len(l) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	n := transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeMovedAside, Title: "Moved aside what a command made",
		Description: fmt.Sprintf("%s appeared while a command ran that may not make it, since it decides what may run or what agents read: %s. If you want it, or made it yourself, /putback puts it back.", strings.Join(names, ", "), tools.Shown(l[0].Command)),
	}
	if err := s.Owner.Change(func(*transcript.SessionInfo) {}, func(bool) transcript.Event { return n }); err != nil {
		s.Agent.Log.Warn("tell what was moved aside", "session", s.SessionID, "err", err)
	}
}
