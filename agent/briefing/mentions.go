package briefing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits on the files that a prompt names, in bytes.
const (
	maxMentioned     = 64 << 10 // of one file
	maxAllMentioned  = 256 << 10
	maxAllAttached   = 10 << 20 // of images, PDF, audio and video
	maxMentionsTried = 100      // words after an @ that are looked up
)

// mention is a file that a prompt names, some of its lines, or several files.
type mention struct {
	path  disk.Path
	lines *transcript.Lines // nil: all
	many  *several          // a folder or a pattern, instead of one file
}

// mentioning finds the files that prompts name.
type mentioning struct {
	of *Briefing

	seen *ide.Snapshot // the workspace as the session sees it
}

// mentioning returns what finds the files that a prompt names that was sent with a snapshot.
func (br *Briefing) mentioning(ctx context.Context, snap *ide.Snapshot) mentioning {
	return mentioning{br, br.o.Over(ctx, snap.Within(br.o.Place.Tree()))}
}

// files returns the files that a prompt names, as @path in its text (a file, a
// folder or a pattern) or by a block, and a notice for each that is not sent. An
// @word that names no file stays text. have are files that the prompt carries
// anyway.
func (br mentioning) files(ctx context.Context, blocks []transcript.Block, live *ide.Snapshot, have []transcript.Given) (parts []transcript.Given, withheld []transcript.Notice) {
	room, attachable := maxAllMentioned, maxAllAttached
	for _, m := range br.allMentions(blocks) {
		is := func(g transcript.Given) bool { return g.Source == m.path.Abs }
		attached := func(b transcript.Block) bool {
			return b.Type == transcript.ResourceBlock && ide.ParseURI(b.URI).Path() == m.path.Abs
		}
		if m.many == nil && (slices.ContainsFunc(blocks, attached) || slices.ContainsFunc(have, is) || slices.ContainsFunc(parts, is)) {
			continue
		}
		name := br.of.o.Place.Near(m.path.Abs)
		if m.many != nil {
			given, why := br.given(ctx, *m.many, room, func(path string) bool {
				same := func(g transcript.Given) bool { return g.Source == path }
				return slices.ContainsFunc(have, same) || slices.ContainsFunc(parts, same)
			})
			for _, g := range given {
				room -= len(g.Text)
			}
			parts = append(parts, given...)
			if why != "" {
				withheld = append(withheld, notSent(m.many.name, why))
			}
			continue
		}
		from := br.seen
		if m.lines != nil { // they are those that the user sees
			from = live.Within(br.of.o.Place.Tree())
		}
		text, note, why := br.mentionable(ctx, from, m.path, name)
		if mime, data := br.media(ctx, m, why); mime != "" {
			if attachable -= len(data); attachable < 0 {
				withheld = append(withheld, notSent(name, fmt.Sprintf("The images and documents of one prompt are limited to %d MiB. The model can read it with a tool.", maxAllAttached>>20)))
				continue
			}
			said := fmt.Sprintf("%s, %d bytes, is attached.", mime, len(data))
			parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Source: m.path.Abs, Text: transcript.Enclose("file_part", said, "path", name), MIME: mime, Data: data})
			continue
		}
		if why == "" && room <= 0 {
			why = fmt.Sprintf("The files of one prompt are limited to %d KiB. The model can read it with a tool.", maxAllMentioned>>10)
		}
		if why != "" {
			withheld = append(withheld, notSent(name, why))
			continue
		}
		if m.lines != nil {
			if part := filePart(text, note, name, *m.lines); part != "" {
				room -= len(part)
				parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Source: m.path.Abs, Text: part})
			}
			continue
		}
		all := text.String()
		lines := linesOf(all)
		if most := min(maxMentioned, room); len(all) > most {
			whole := lines
			all = visible.CutBytes(all, most)
			lines = strings.Count(all, "\n")
			all += fmt.Sprintf("\n(the rest is omitted: the file has %d lines)", whole)
		}
		room -= len(all)
		parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Source: m.path.Abs, Text: transcript.Enclose("file_part", note+all, "path", name, "lines", fmt.Sprintf("1-%d", max(lines, 1)))})
	}
	return parts, withheld
}

// notSent returns the notice about a file that is not sent.
func notSent(name, why string) transcript.Notice {
	return transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: tools.ShownLine(name, 200) + " was not sent", Description: why}
}

// allMentions returns the files that the blocks of a prompt name, in order.
func (br mentioning) allMentions(blocks []transcript.Block) (found []mention) {
	tried := 0
	for _, b := range blocks {
		if b.WholeFile() {
			if path, ok := br.fileAt(ide.ParseURI(b.URI).Path()); ok {
				found = append(found, mention{path: path})
			}
		}
		if !b.Said() {
			continue
		}
		for _, word := range Mentions(b.Text) {
			if tried++; tried > maxMentionsTried {
				return found
			}
			if path, lines, ok := br.named(word); ok {
				found = append(found, mention{path: path, lines: lines})
			} else if s, ok := br.severalFiles(word); ok {
				found = append(found, mention{path: s.dir, many: &s})
			}
		}
	}
	return found
}

// linesOf counts the lines of a text. The last line need not end with a newline.
func linesOf(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// mentionable returns the text of a file with a note on its encoding, or why it is not
// sent.
func (br mentioning) mentionable(ctx context.Context, snapshot *ide.Snapshot, path disk.Path, name string) (text *ide.Text, note, why string) {
	rules := br.of.o.Ignoring()
	rules.NoGit = true // the user named it
	if hides, err := ignore.Ignored(ctx, br.of.o.Place.Tree(), path, false, rules); hides || err != nil {
		return nil, "", "The ignore rules (.geminiignore or .emendoignore) exclude it."
	}
	if secret.Named(path.Abs) || secret.Named(name) {
		return nil, "", "The file looks as if it holds secrets."
	}
	f, err := snapshot.Read(ctx, path.Abs)
	if err != nil {
		return nil, "", fmt.Sprintf(unreadable+"%v.", err)
	}
	if secret.Held(path.Abs, []byte(f.Text.String())) {
		return nil, "", "The file looks as if it holds secrets."
	}
	note = encodingNote(f.Format)
	if f.Document != nil && f.Document.Proposed {
		note += proposedNote
	}
	return f.Text, note, ""
}

// proposedNote precedes a text that the editor does not show.
const proposedNote = "(This is the text with your proposed edits. The user has not decided on them: the editor and the disk are without them.)\n"

// unreadable is the start of the reason why a file is not sent as text.
const unreadable = "The file cannot be read: "

// media returns the data of a file that is sent as it is, such as an image, if why
// says that it is not text. A PDF may look like text.
func (br mentioning) media(ctx context.Context, m mention, why string) (mime string, data []byte) {
	document := why == "" && strings.EqualFold(filepath.Ext(m.path.Rel), ".pdf")
	if m.lines != nil || !document && !strings.HasPrefix(why, unreadable) {
		return "", nil
	}
	data, err := br.of.o.Place.Tree().ReadBytes(ctx, m.path, disk.ReadLimit)
	if err != nil {
		return "", nil
	}
	return tools.Media(m.path.Rel, data), data
}

// someLines matches the lines at the end of a mention: "main.go:3" or "main.go:3-9".
var someLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+):([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?$`)
})

// named returns the file that an @word names, relative to the session's folder or
// absolute, in the workspace, and its lines if it names some. Punctuation after the
// name is not part of it.
func (br mentioning) named(word string) (path disk.Path, lines *transcript.Lines, ok bool) {
	for word != "" {
		if path, ok := br.fileAt(word); ok {
			return path, nil, true
		}
		if m := someLines().FindStringSubmatch(word); m != nil {
			if path, ok := br.fileAt(m[1]); ok {
				first, _ := strconv.Atoi(m[2])
				last, err := strconv.Atoi(m[3])
				if err != nil {
					last = first
				}
				return path, &transcript.Lines{First: first, Last: last}, true
			}
		}
		last, size := utf8.DecodeLastRuneInString(word)
		if !strings.ContainsRune(".,;:!?)]}>\"'`", last) {
			break
		}
		word = word[:len(word)-size]
	}
	return disk.Path{}, nil, false
}

// fileAt returns the regular file at a path, relative to the session's folder or
// absolute, in the workspace.
func (br mentioning) fileAt(path string) (disk.Path, bool) {
	if path == "" {
		return disk.Path{}, false
	}
	p, err := br.of.o.Place.Tree().Resolve(br.at(path))
	if err != nil {
		return disk.Path{}, false
	}
	if d := br.seen.DocumentAt(p.Abs); d != nil && d.Proposed || br.seen.Gone(p.Abs) {
		return p, d != nil
	}
	i, err := br.of.o.Place.Tree().Stat(p)
	return p, err == nil && i.Mode().IsRegular()
}

// at resolves a slash-separated path against the session's folder.
func (br mentioning) at(path string) string {
	full := filepath.FromSlash(path)
	if filepath.IsAbs(full) {
		return full
	}
	return br.of.o.Cwd + string(filepath.Separator) + full
}

// Mentions returns the words of a text that follow an @ at the start of a word: up
// to white space, with escaped blanks unescaped, or a string in double quotes.
func Mentions(text string) []string {
	var found []string
	for i := 0; i < len(text); i++ {
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if text[i] != '@' || i > 0 && !unicode.IsSpace(before) && !strings.ContainsRune("([{<\"'`", before) {
			continue
		}
		rest := text[i+1:]
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			if name, _, closed := strings.Cut(quoted, `"`); closed && !strings.Contains(name, "\n") {
				found = append(found, name)
				continue
			}
		}
		if name, _ := Unescape(rest); name != "" && len(name) < 4096 {
			found = append(found, name)
		}
	}
	return found
}

// Unescape returns the path at the start of a text, up to unescaped white space,
// and whether it reaches the end of the text.
func Unescape(text string) (path string, toEnd bool) {
	var b strings.Builder
	escaped := false
	for _, r := range text {
		if r == '\\' && !escaped && os.PathSeparator != '\\' {
			escaped = true
			continue
		}
		if unicode.IsSpace(r) && !escaped {
			return b.String(), false
		}
		b.WriteRune(r)
		escaped = false
	}
	return b.String(), true
}
