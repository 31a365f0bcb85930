package agent

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// surround gives the model what it does not know yet of the place where it
// works: all of it in a new session and in an imported one; later the date,
// once a day has passed, the folders, once one was added, and the branch, once
// another one is checked out.
func (t *turn) surround(ctx context.Context, messageID string) {
	s := t.session
	t.mu.Lock()
	known := s.history.Environment()
	t.mu.Unlock()
	if !strings.Contains(known, s.folderLine()) {
		t.emit(transcript.Given{MessageID: messageID, Kind: transcript.KindEnvironment, Text: prompt.Enclose("session_context", s.environment())})
		if s.Trusted() && !s.agent.choices().NoFolders && !s.leftOut().Excludes(transcript.KindFolders, "") {
			t.emit(transcript.Given{MessageID: messageID, Kind: transcript.KindFolders, Text: s.folderTree(ctx)})
		}
		return
	}
	var news []string
	for _, line := range []string{s.today(), s.foldersLine(), s.branchLine()} {
		if line != "" && lastLike(known, line) != line {
			news = append(news, line)
		}
	}
	if len(news) > 0 {
		t.emit(transcript.Given{MessageID: messageID, Kind: transcript.KindEnvironment, Text: prompt.Enclose("session_context", strings.Join(news, "\n"))})
	}
}

// environment describes the place where the session works.
func (s *Session) environment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nSystem: %s on %s\n%s\n", s.today(), runtime.GOOS, runtime.GOARCH, s.folderLine())
	for _, line := range []string{s.foldersLine(), s.branchLine()} {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	if find := s.agent.o.Shell; find != nil && s.Trusted() {
		if name := find(); name != "" {
			fmt.Fprintf(&b, "Shell of commands: %s\nFolder for temporary files in commands: $TMPDIR\n", name)
		}
	}
	return b.String()
}

// folderLine names the folder that relative paths start from.
func (s *Session) folderLine() string {
	return "Session folder, where relative paths and commands start: " + s.started.Cwd
}

// today is the date as the model reads it.
func (s *Session) today() string {
	return "Date: " + s.agent.now().Format("Monday, 2 January 2006")
}

// branchLine names the branch that is checked out; it is empty where there is
// none, or the folder is not trusted.
func (s *Session) branchLine() string {
	if !s.Trusted() {
		return ""
	}
	if name := branchOf(s.started.Cwd); name != "" {
		return "Git branch: " + tools.Shown(name)
	}
	return ""
}

// lastLike returns the last line of text that has the same label as line.
func lastLike(text, line string) string {
	label, _, _ := strings.Cut(line, ": ")
	at := strings.LastIndex(text, "\n"+label+": ")
	if at < 0 {
		return ""
	}
	found, _, _ := strings.Cut(text[at+1:], "\n")
	return found
}
