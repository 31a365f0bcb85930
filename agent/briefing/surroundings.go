package briefing

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/tools"
)

// Surroundings returns what the model does not yet know about its environment:
// everything in a new or imported session; later the date, the folders and the
// branch when they have changed. known is the context that the model got so far.
func (br *Briefing) Surroundings(ctx context.Context, known string) []transcript.Given {
	if !strings.Contains(known, br.folderLine()) {
		l := []transcript.Given{{Kind: transcript.KindEnvironment, Text: transcript.Enclose("session_context", br.environment())}}
		return append(l, br.trees(ctx, br.o.Place.Tree().Folders())...)
	}
	var news []string
	for _, line := range []string{br.today(), br.foldersLine(), br.branchLine()} {
		if line != "" && lastLike(known, line) != line {
			news = append(news, line)
		}
	}
	if len(news) == 0 {
		return nil
	}
	l := []transcript.Given{{Kind: transcript.KindEnvironment, Text: transcript.Enclose("session_context", strings.Join(news, "\n"))}}
	return append(l, br.trees(ctx, br.added(known))...)
}

// added returns the folders that were added since the model was told of the folders.
func (br *Briefing) added(known string) []string {
	line := br.foldersLine()
	last := lastLike(known, line)
	if line == "" || last == line {
		return nil
	}
	_, before, _ := strings.Cut(last, ": ")
	told := append(strings.Split(before, ", "), br.o.Cwd) // one folder alone has no line
	return slices.DeleteFunc(br.o.Place.Tree().Folders(), func(f string) bool { return slices.Contains(told, f) })
}

// trees returns the trees of folders, unless they are none of the model's business.
func (br *Briefing) trees(ctx context.Context, folders []string) []transcript.Given {
	if len(folders) == 0 || !br.o.Trusted() || !br.o.Settings().Context.IncludeDirectoryTree || br.o.Left().Excludes(transcript.KindFolders, "") {
		return nil
	}
	l := listing{tree: br.o.Place.Tree(), ignoring: br.o.Ignoring(), room: maxTree}
	return []transcript.Given{{Kind: transcript.KindFolders, Text: l.draw(ctx, folders)}}
}

// environment describes the system and the session's folders.
func (br *Briefing) environment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nSystem: %s on %s\n%s\n", br.today(), runtime.GOOS, runtime.GOARCH, br.folderLine())
	for _, line := range []string{br.foldersLine(), br.branchLine()} {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	if find := br.o.Shell; find != nil && br.o.Trusted() {
		if name := find(); name != "" {
			fmt.Fprintf(&b, "Shell of commands: %s\nFolder for temporary files in commands: $TMPDIR\n", name)
		}
	}
	return b.String()
}

// folderLine names the folder that relative paths start from.
func (br *Briefing) folderLine() string {
	return "Session folder, where relative paths and commands start: " + br.o.Cwd
}

// today returns the line with the date.
func (br *Briefing) today() string {
	return "Date: " + br.o.Now().Format("Monday, 2 January 2006")
}

// branchLine names the checked-out branch; empty if there is none, or the folder is
// not trusted.
func (br *Briefing) branchLine() string {
	if repository, ok := gitdir.Nearest(br.o.Cwd); ok && br.o.Trusted() && repository.Branch() != "" {
		return "Git branch: " + tools.Shown(repository.Branch())
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

// foldersLine names the session's folders; empty if there is only one.
func (br *Briefing) foldersLine() string {
	if roots := br.o.Place.Roots(); len(roots) > 1 {
		return "Workspace folders: " + strings.Join(roots, ", ")
	}
	return ""
}
