package agent

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// surround tells the model where it works, as far as it does not know: all of
// it in a new session, and in one that was imported or whose beginning was
// summed up; the date once another day has begun.
func (t *turn) surround(ctx context.Context, messageID string) {
	s := t.session
	t.mu.Lock()
	last, told := s.history.lastGiven(kindEnvironment)
	t.mu.Unlock()
	switch {
	case !told:
		t.emit(Given{MessageID: messageID, Kind: kindEnvironment, Text: s.environment()})
		if s.Trusted() && !s.agent.choices().NoFolders && !s.leftOut().is(kindFolders, "") {
			t.emit(Given{MessageID: messageID, Kind: kindFolders, Text: s.folderTree(ctx)})
		}
	case !strings.Contains(last, s.today()):
		t.emit(Given{MessageID: messageID, Kind: kindEnvironment, Text: enclose("session_context", s.today())})
	}
}

// environment is what the model is told once about where it works.
func (s *Session) environment() string {
	i := s.Info()
	var b strings.Builder
	fmt.Fprintf(&b, "%s The machine runs %s on %s.\n", s.today(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "The session's folder, where relative paths start and commands run, is %s.\n", i.Cwd)
	if len(i.Roots) > 1 {
		fmt.Fprintf(&b, "The workspace's folders are %s.\n", strings.Join(i.Roots, ", "))
	}
	return enclose("session_context", b.String())
}

// today is the date as the model reads it.
func (s *Session) today() string {
	return "Today is " + s.agent.now().Format("Monday, 2 January 2006") + "."
}

// lastGiven is the text of that kind that the history holds last.
func (h *history) lastGiven(kind string) (text string, ok bool) {
	for i := len(h.messages) - 1; i >= 0; i-- {
		for _, p := range h.messages[i].parts {
			if said, is := p.part.(model.Text); is && p.kind == kind {
				text, ok = said.Text, true
			}
		}
		if ok {
			break
		}
	}
	return text, ok
}
