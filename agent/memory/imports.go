package memory

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
)

// Bounds of imports.
const (
	maxDepth   = 5   // files that import one another in a chain
	maxImports = 100 // of one context file, those of its imports included
)

// importing is a context file on its way to the model.
type importing struct {
	look    Look
	out     strings.Builder
	imports int
	files   []string // that were put in, by absolute path
	full    bool
}

// read gives a context file's text with its imports put in: `@path`, at the
// start or behind white space, outside code. The path is relative to the file,
// or absolute, and leads to a text in the same workspace.
func (l Look) read(ctx context.Context, p disk.Path) File {
	t, err := l.Tree.ReadTextLimit(ctx, p, disk.ReadLimit)
	if err != nil || secret.Held(p.Abs, []byte(t.Text)) {
		return File{Path: p}
	}
	in := &importing{look: l}
	in.text(ctx, t.Text[:min(len(t.Text), MaxFile+1)], []disk.Path{p}) // nobody sees the rest
	if in.full {
		fmt.Fprintf(&in.out, "\n(the rest of %s is left out: a context file may have %d KiB with its imports)", filepath.Base(p.Abs), MaxFile>>10)
	}
	return File{Path: p, Text: in.out.String(), Imports: in.files}
}

// text writes a file's text; chain is the files that led to it, itself last.
func (in *importing) text(ctx context.Context, s string, chain []disk.Path) {
	from := 0 // what is not written yet
	for i := 0; i < len(s) && !in.full; {
		switch {
		case s[i] == '`':
			i = pastCode(s, i)
		case s[i] == '@' && startsWord(s, i):
			name := word(s[i+1:])
			if !importable(name) {
				i++
				continue
			}
			in.write(s[from:i])
			in.put(ctx, name, chain)
			i += 1 + len(name)
			from = i
		default:
			i++
		}
	}
	in.write(s[from:])
}

// write adds text as far as there is room.
func (in *importing) write(s string) {
	room := MaxFile - in.out.Len()
	if in.full || len(s) <= room {
		if !in.full {
			in.out.WriteString(s)
		}
		return
	}
	in.full = true
	for room > 0 && !utf8.RuneStart(s[room]) {
		room--
	}
	in.out.WriteString(s[:max(room, 0)])
}

// put writes what an import leads to, or a remark that says why it does not. A
// word that could be a name of something else stays as it is.
func (in *importing) put(ctx context.Context, name string, chain []disk.Path) {
	p, text, err := in.load(ctx, name, chain)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "./") {
		in.write("@" + name)
		return
	}
	if err != nil {
		var r refusal
		reason := why(err)
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

// refusal says why a file that is there is not imported.
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
		return p, "", refusal(fmt.Sprintf("more than %d files import one another", maxDepth))
	case in.imports == maxImports:
		return p, "", refusal(fmt.Sprintf("there are more than %d imports", maxImports))
	case secret.Named(p.Abs):
		return p, "", refusal("it looks as if it holds secrets")
	case in.look.kept(ctx, p):
		return p, "", refusal("it is kept from models (.emendoignore or .geminiignore)")
	}
	in.imports++
	t, err := in.look.Tree.ReadTextLimit(ctx, p, MaxFile)
	if secret.Held(p.Abs, []byte(t.Text)) {
		return p, "", refusal("it holds a private key or credentials")
	}
	return p, t.Text, err
}

// remark is a comment that cannot end before its end.
func remark(s string) string { return "<!-- " + strings.ReplaceAll(s, "--", "- -") + " -->" }

// pastCode is the place behind the code that begins with the back-ticks at i,
// or behind these when nothing ends it.
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

// word is what s begins with, up to white space.
func word(s string) string {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

// importable says whether a word behind an @ could be a path.
func importable(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return name != "" && (r == '.' || r == '/' || unicode.IsLetter(r)) && !strings.Contains(name, "://")
}
