package briefing

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/search"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools"
)

// Limits on a folder or a pattern that a prompt names.
const (
	maxListed = 200    // files listed
	maxWalked = 20_000 // files visited
)

// several is a folder that a prompt names, or a pattern of files below it.
type several struct {
	name    string // as written in the prompt
	dir     disk.Path
	pattern string // relative to dir, slash-separated; empty: all files
}

// severalFiles returns the folder or the pattern that an @word names. Punctuation
// after the name is not part of it.
func (br mentioning) severalFiles(word string) (several, bool) {
	if word = withoutMarks(word); word == "" {
		return several{}, false
	}
	if dir, ok := br.folderAt(word); ok {
		return several{name: word, dir: dir}, true
	}
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(word))
	if !strings.ContainsAny(pattern, "*?[{") || !doublestar.ValidatePattern(pattern) {
		return several{}, false
	}
	if named, err := search.Glob(pattern); err == nil { // a part may be a name
		pattern = named
	}
	dir, ok := br.folderAt(base)
	return several{name: word, dir: dir, pattern: pattern}, ok
}

// withoutMarks trims the punctuation after a word, and closing brackets that it
// does not open.
func withoutMarks(word string) string {
	for {
		cut := strings.TrimRight(word, ",;:!?>\"'`")
		if strings.Trim(cut, ".") != "" { // keep "." and ".."
			cut = strings.TrimRight(cut, ".")
		}
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(cut, pair[1:]) && strings.Count(cut, pair[:1]) < strings.Count(cut, pair[1:]) {
				cut = cut[:len(cut)-1]
			}
		}
		if cut == word {
			return word
		}
		word = cut
	}
}

// folderAt returns the folder at a path, relative to the session's folder or
// absolute, in the workspace.
func (br mentioning) folderAt(name string) (disk.Path, bool) {
	p, err := br.of.o.Place.Tree().Resolve(br.at(name))
	if err != nil {
		return disk.Path{}, false
	}
	i, err := br.of.o.Place.Tree().Stat(p)
	return p, err == nil && i.IsDir() || err != nil && len(search.OpenBelow(br.seen, p)) > 0
}

// list returns the files of a folder or a pattern that are neither ignored nor
// secret, and whether there are more; or the reason why there is no list.
func (br mentioning) list(ctx context.Context, s several) (files []disk.Path, more bool, why string) {
	all := search.Files{Snapshot: br.seen, Dir: s.dir, Rules: br.of.o.Ignoring(), Exclude: slices.Concat(walk.DefaultExclude, unlisted)}
	looked := 0
	for f, err := range all.All(ctx) {
		var gap *walk.Gap
		if errors.Is(err, search.ErrIgnored) {
			return nil, false, "The ignore rules exclude it."
		}
		if err != nil && !errors.As(err, &gap) {
			return nil, false, fmt.Sprintf("The folder cannot be read: %v.", err)
		}
		if err != nil {
			continue // list the rest
		}
		if looked++; looked > maxWalked || len(files) == maxListed {
			return files, true, ""
		}
		if s.pattern != "" && !doublestar.MatchUnvalidated(s.pattern, f.Rel) {
			continue
		}
		if !f.Link && !secret.Named(f.Path.Abs) {
			files = append(files, f.Path)
		}
	}
	if len(files) == 0 {
		return nil, false, "It has no files that the model may read."
	}
	return files, false, ""
}

// given returns a folder or a pattern for the model: the names of its files, and
// the files themselves if they fit together. room is the number of bytes left;
// taken reports which files the prompt carries anyway.
func (br mentioning) given(ctx context.Context, s several, room int, taken func(path string) bool) (parts []transcript.Given, why string) {
	files, more, why := br.list(ctx, s)
	if why != "" {
		return nil, why
	}
	var names []string
	size, fits := 0, !more
	for _, p := range files {
		name := br.of.o.Place.Near(p.Abs)
		names = append(names, tools.Shown(name))
		if taken(p.Abs) || !fits {
			continue
		}
		text, note, why := br.mentionable(ctx, br.seen, p, name)
		if why != "" { // it is not text, or holds a secret
			continue
		}
		all := text.String()
		if size += len(all); size > min(maxMentioned, room) {
			fits = false
			continue
		}
		parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Source: p.Abs, Text: transcript.Enclose("file_part", note+all, "path", name, "lines", fmt.Sprintf("1-%d", max(linesOf(all), 1)))})
	}
	list := strings.Join(names, "\n")
	if more {
		list += "\n(and more)"
	}
	if !fits {
		parts = nil
		list += "\n(the files are too long to include together; read the ones you need)"
	}
	place := path.Clean(filepath.ToSlash(s.name))
	listed := transcript.Given{Kind: transcript.GivenLinked, Source: s.dir.Abs, Text: transcript.Enclose("file_list", list, "of", tools.ShownLine(place, 200))}
	return append([]transcript.Given{listed}, parts...), ""
}
