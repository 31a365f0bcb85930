package briefing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// maxInsertedNames bounds the list of a folder in a prompt.
const maxInsertedNames = 200

// Inserted returns the text of a file, or the list of a folder's files, for a
// custom command that inserts it. Images and the like are returned as data. If it
// is not sent, Inserted returns a notice with the reason. The path is relative to
// the session's folder, or absolute in the workspace.
func (br *Briefing) Inserted(ctx context.Context, path string, snap *ide.Snapshot) (transcript.Given, *transcript.Notice) {
	withhold := func(why string) (transcript.Given, *transcript.Notice) {
		return transcript.Given{}, &transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: tools.ShownLine(path, 200) + " was not sent", Description: why}
	}
	named := br.mentioning(ctx, snap)
	if p, ok := named.fileAt(path); ok {
		name := br.o.Place.Near(p.Abs)
		text, note, why := named.mentionable(ctx, named.seen, p, name)
		if mime, data := named.media(ctx, mention{path: p}, why); mime != "" {
			return transcript.Given{Source: p.Abs, Text: transcript.Enclose("file", "(attached)", "path", name), MIME: mime, Data: data}, nil
		}
		if why != "" {
			return withhold(why)
		}
		all := text.String()
		if len(all) > maxMentioned {
			all = visible.CutBytes(all, maxMentioned) + fmt.Sprintf("\n(the rest is omitted: the file has %d lines)", linesOf(text.String()))
		}
		return transcript.Given{Source: p.Abs, Text: transcript.Enclose("file", note+all, "path", name)}, nil
	}
	if path == "" {
		return withhold("The path is empty.")
	}
	p, err := br.o.Place.Tree().Resolve(named.at(path))
	if err != nil {
		return withhold("It is not in the workspace.")
	}
	i, err := br.o.Place.Tree().Stat(p)
	if err != nil || !i.IsDir() {
		return withhold("There is no such file or folder.")
	}
	rules := br.o.Ignoring()
	if hides, err := ignore.Ignored(ctx, br.o.Place.Tree(), p, true, rules); hides || err != nil {
		return withhold("The ignore rules exclude it.")
	}
	names, err := named.names(ctx, p, rules)
	if err != nil {
		return withhold(fmt.Sprintf("The folder cannot be read: %v.", err))
	}
	return transcript.Given{Source: p.Abs, Text: transcript.Enclose("folder", strings.Join(names, "\n"), "path", br.o.Place.Near(p.Abs))}, nil
}

// names returns the names of the files and folders in a folder, without those that
// are ignored or look secret. Names of folders end in a slash.
func (br mentioning) names(ctx context.Context, dir disk.Path, ignoring ignore.Options) ([]string, error) {
	rules, err := ignore.Load(ctx, br.of.o.Place.Tree(), dir, ignoring)
	if err != nil {
		return nil, err
	}
	entries, err := br.of.o.Place.Tree().List(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := tools.ShownLine(e.Name, 300)
		switch {
		case rules.Ignored(e.Name, e.Type.IsDir()), secret.Named(e.Name):
		case e.Type.IsDir():
			names = append(names, name+"/")
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if more := len(names) - maxInsertedNames; more > 0 {
		names = append(names[:maxInsertedNames], fmt.Sprintf("(and %d more)", more))
	}
	return names, nil
}
