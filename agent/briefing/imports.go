package briefing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits of imports.
const (
	maxDepth   = 5   // length of a chain of imports
	maxImports = 100 // in one context file, including nested ones
)

// importing is the state of reading one context file.
type importing struct {
	look    lookup
	out     strings.Builder
	imports int
	files   []string // imported, by absolute path
	full    bool
}

// read returns a context file with its imports inserted. An import is `@path` at
// the start or after white space, outside code. The path is relative to the file or
// absolute, and must be a text in the same workspace.
func (l lookup) read(ctx context.Context, p disk.Path) File {
	t, err := l.Tree.ReadTextLimit(ctx, p, disk.ReadLimit)
	if err != nil || secret.Held(p.Abs, []byte(t.Text)) {
		return File{Path: p.Abs}
	}
	in := &importing{look: l}
	in.text(ctx, t.Text[:min(len(t.Text), maxContextFile+1)], []disk.Path{p}) // the rest is left out
	if in.full {
		fmt.Fprintf(&in.out, "\n(the rest of %s is left out: a context file is limited to %d KiB with its imports)", filepath.Base(p.Abs), maxContextFile>>10)
	}
	return File{Path: p.Abs, Text: in.out.String(), Imports: in.files}
}

// text writes the text of a file. chain has the files that led to it, itself last.
func (in *importing) text(ctx context.Context, s string, chain []disk.Path) {
	from := 0 // start of what is not yet written
	for i := 0; i < len(s) && !in.full; {
		switch {
		case s[i] == '`':
			i = pastCode(s, i)
		case s[i] == '@' && startsWord(s, i):
			name := firstWord(s[i+1:])
			if !importable(name) {
				i++
				continue
			}
			in.write(s[from:i])
			in.writeImport(ctx, name, chain)
			i += 1 + len(name)
			from = i
		default:
			i++
		}
	}
	in.write(s[from:])
}

// write appends text up to the limit.
func (in *importing) write(s string) {
	room := maxContextFile - in.out.Len()
	if in.full || len(s) <= room {
		if !in.full {
			in.out.WriteString(s)
		}
		return
	}
	in.full = true
	in.out.WriteString(visible.CutBytes(s, max(room, 0)))
}

// writeImport writes the imported file, or a remark with the reason if it cannot be
// imported. A missing name without a dot or slash is probably not a file and stays
// as it is.
func (in *importing) writeImport(ctx context.Context, name string, chain []disk.Path) {
	p, text, err := in.load(ctx, name, chain)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "./") {
		in.write("@" + name)
		return
	}
	if err != nil {
		var r refusal
		reason := reasonOf(err)
		if errors.As(err, &r) {
			reason = string(r)
		}
		in.write(remark("not imported: " + name + ": " + reason))
		return
	}
	if !slices.Contains(in.files, p.Abs) {
		in.files = append(in.files, p.Abs)
	}
	in.write(remark("imported from "+name) + "\n")
	in.text(ctx, strings.TrimSpace(text), append(slices.Clip(chain), p))
	in.write("\n" + remark("end of "+name))
}

// refusal is the reason why an existing file is not imported.
type refusal string

func (r refusal) Error() string { return string(r) }

func (in *importing) load(ctx context.Context, name string, chain []disk.Path) (disk.Path, string, error) {
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Dir(chain[len(chain)-1].Abs) + string(filepath.Separator) + full
	}
	p, err := in.look.Tree.Resolve(full)
	switch {
	case err != nil:
		return p, "", err
	case slices.ContainsFunc(chain, func(c disk.Path) bool { return c.Abs == p.Abs }):
		return p, "", refusal("it imports itself")
	case len(chain) > maxDepth:
		return p, "", refusal(fmt.Sprintf("imports are nested more than %d deep", maxDepth))
	case in.imports == maxImports:
		return p, "", refusal(fmt.Sprintf("there are more than %d imports", maxImports))
	case secret.Named(p.Abs):
		return p, "", refusal("it may hold secrets")
	case in.look.isExcluded(ctx, p):
		return p, "", refusal("it is excluded by .emendoignore or .geminiignore")
	}
	in.imports++
	t, err := in.look.Tree.ReadTextLimit(ctx, p, maxContextFile)
	if secret.Held(p.Abs, []byte(t.Text)) {
		return p, "", refusal("it has a private key or credentials")
	}
	return p, t.Text, err
}

// remark returns an HTML comment. The text cannot end it early.
func remark(s string) string { return "<!-- " + strings.ReplaceAll(s, "--", "- -") + " -->" }

// pastCode returns the end of the code that begins with the backticks at i, or the
// end of the backticks if nothing closes it.
func pastCode(s string, i int) int {
	n := ticks(s[i:])
	for at := i + n; at < len(s); {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			break
		}
		at += next
		m := ticks(s[at:])
		at += m
		if m == n {
			return at
		}
	}
	return i + n
}

func ticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

func startsWord(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return i == 0 || unicode.IsSpace(r)
}

// firstWord returns the start of s up to white space.
func firstWord(s string) string {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

// importable reports whether a word after an @ could be a path.
func importable(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return name != "" && (r == '.' || r == '/' || unicode.IsLetter(r)) && !strings.Contains(name, "://")
}
