package briefing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools"
)

// Bounds of the files that a prompt names, in bytes.
const (
	maxMentioned     = 64 << 10 // of one
	maxAllMentioned  = 256 << 10
	maxMentionsTried = 100 // words behind an @ that are looked up
)

// mentioned returns the files that the text of a prompt names as @path, whole,
// and a notice for each that is not sent. A word behind an @ that is no file's
// name stays what it is. have are files that go along with the prompt anyway.
func (br *Briefing) mentioned(ctx context.Context, blocks []transcript.Block, snap *ide.Snapshot, have []transcript.Given) (parts []transcript.Given, withheld []transcript.Notice) {
	room, tried := maxAllMentioned, 0
	for _, b := range blocks {
		if b.Type != transcript.TextBlock {
			continue
		}
		for _, word := range mentions(b.Text) {
			if tried++; tried > maxMentionsTried {
				return parts, withheld
			}
			path, ok := br.named(word)
			is := func(g transcript.Given) bool { return g.Source == path.Abs }
			attached := func(b transcript.Block) bool {
				return b.Type == transcript.ResourceBlock && ide.ParseURI(b.URI).Path() == path.Abs
			}
			if !ok || slices.ContainsFunc(blocks, attached) || slices.ContainsFunc(have, is) || slices.ContainsFunc(parts, is) {
				continue
			}
			name := br.o.Place.Within(path.Abs)
			text, why := br.mentionable(ctx, snap, path, name)
			if why == "" && room <= 0 {
				why = fmt.Sprintf("The files of one prompt may have %d KiB. The model can read it.", maxAllMentioned>>10)
			}
			if why != "" {
				withheld = append(withheld, transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: tools.ShownLine(name, 200) + " was not sent", Description: why})
				continue
			}
			all := text.String()
			lines := linesOf(all)
			if most := min(maxMentioned, room); len(all) > most {
				whole := lines
				all = prompt.Cut(all, most)
				lines = strings.Count(all, "\n")
				all += fmt.Sprintf("\n(the rest is left out: the file has %d lines)", whole)
			}
			room -= len(all)
			parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Source: path.Abs, Text: prompt.Enclose("file_part", all, "path", name, "lines", fmt.Sprintf("1-%d", max(lines, 1)))})
		}
	}
	return parts, withheld
}

// linesOf counts the lines of a text; the last one need not end.
func linesOf(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// mentionable returns the text of a file, or why it is not sent.
func (br *Briefing) mentionable(ctx context.Context, snapshot *ide.Snapshot, path disk.Path, name string) (*ide.Text, string) {
	rules := br.o.Settings().Ignoring()
	rules.NoGit = true // the user named it
	if hides, err := ignore.Ignored(ctx, br.o.Place.Tree(), path, false, rules); hides || err != nil {
		return nil, "The ignore rules (.geminiignore or .emendoignore) exclude it."
	}
	if secret.Named(path.Abs) || secret.Named(name) {
		return nil, "The file looks as if it holds secrets."
	}
	f, err := snapshot.Within(br.o.Place.Tree()).Read(ctx, path.Abs)
	if err != nil {
		return nil, fmt.Sprintf("The file cannot be read: %v.", err)
	}
	if secret.Held(path.Abs, []byte(f.Text.String())) {
		return nil, "The file looks as if it holds secrets."
	}
	return f.Text, ""
}

// named returns the file that a word behind an @ names: relative to the session's
// folder or absolute, in the workspace. Marks behind the name are not part of it.
func (br *Briefing) named(word string) (disk.Path, bool) {
	for word != "" {
		full := filepath.FromSlash(word)
		if !filepath.IsAbs(full) {
			full = br.o.Cwd + string(filepath.Separator) + full
		}
		if p, err := br.o.Place.Tree().Resolve(full); err == nil {
			if i, err := br.o.Place.Tree().Stat(p); err == nil {
				return p, i.Mode().IsRegular()
			}
		}
		last, size := utf8.DecodeLastRuneInString(word)
		if !strings.ContainsRune(".,;:!?)]}>\"'`", last) {
			break
		}
		word = word[:len(word)-size]
	}
	return disk.Path{}, false
}

// mentions returns the words of a text that stand behind an @ which begins a
// word: up to white space, without the backslashes that keep blanks in them, or
// what is in double quotes.
func mentions(text string) []string {
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
		var name strings.Builder
		escaped := false
		for _, r := range rest {
			if r == '\\' && !escaped && os.PathSeparator != '\\' {
				escaped = true
				continue
			}
			if unicode.IsSpace(r) && !escaped {
				break
			}
			name.WriteRune(r)
			escaped = false
		}
		if name.Len() > 0 && name.Len() < 4096 {
			found = append(found, name.String())
		}
	}
	return found
}
