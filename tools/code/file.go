package code

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/proposed"
)

// askTime bounds a call: a server may have to read a large workspace first.
const askTime = time.Minute

// file is the file that a call is about, with the text that servers see.
type file struct {
	disk.Path

	given string // as the call names it, absolute
	name  string // as the model reads it
	text  *ide.Text
	env   tools.Env // as the server sees it that answers
	note  string    // which text that is, for the model; empty: there is only one
}

// seeing returns the world as the server sees it that answers a method for the file at path
// or, if path is empty, for all files. While edits are proposed, a note tells the model
// which text that is.
func seeing(env tools.Env, from Sources, method, path string) (seen tools.Env, note string) {
	names := proposed.Files(env.Snapshot, env.Near)
	switch {
	case len(names) == 0:
		return env, ""
	case !from.OfEditor(env.Snapshot, method, path):
		return env, proposed.With(names)
	}
	env.Snapshot = env.Snapshot.Live()
	return env, proposed.Without(names)
}

// open reads the file that the argument file_path names, as the server sees it that answers
// a method.
func open(ctx context.Context, env tools.Env, from Sources, method, name string) (file, error) {
	p, err := tools.Resolve(env, "file_path", name)
	if err != nil {
		return file{}, err
	}
	if err := tools.Hidden(ctx, env, p, name, true); err != nil { // read_file can read it
		return file{}, err
	}
	if secret.Named(p.Abs) {
		return file{}, tools.Errorf(tools.PermissionDenied, "cannot read %s: it may hold secrets", tools.Shown(name))
	}
	env, note := seeing(env, from, method, p.Abs)
	f, err := env.Snapshot.Read(ctx, p.Abs)
	if err != nil {
		return file{}, tools.DiskError("read", name, err)
	}
	return file{p, tools.Absolute(env, name), tools.Shown(env.Near(p.Abs)), f.Text, env, note}, nil
}

// reads returns the effect of looking at the file.
func (f file) reads() tools.Reads {
	return tools.Reads{Paths: []string{f.Abs}, Given: []string{f.given}, Key: secret.Held(f.Abs, []byte(f.text.String()))}
}

// identifier matches the last name in a symbol such as "pkg.Name".
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\pL_$][\pL\pN_$]*$`)
})

// subject returns the file, or the last name in a symbol, as what is asked about.
func (f file) subject(symbol string) Subject {
	return Subject{Path: f.Abs, Name: identifier().FindString(strings.TrimSpace(symbol))}
}

// position returns the position of a symbol: the last name in a text on a line, which
// counts from one.
func (f file) position(line int, symbol string, e ide.Encoding) (ide.Position, error) {
	if line < 1 || line > f.text.Lines() {
		return ide.Position{}, tools.Errorf(tools.InvalidParams, "%s has %d lines, and no line %d", f.name, f.text.Lines(), line)
	}
	symbol = strings.TrimSpace(symbol)
	if symbol == "" {
		return ide.Position{}, tools.Errorf(tools.InvalidParams, "invalid params: symbol is empty")
	}
	start := f.text.LineStart(line - 1)
	body := f.text.Line(line - 1)
	at := wholeWord(body, symbol)
	if at < 0 {
		return ide.Position{}, tools.Errorf(tools.NoOccurrence, "line %d of %s does not contain %q%s", line, f.name, symbol, f.elsewhere(symbol))
	}
	if last := identifier().FindStringIndex(symbol); last != nil {
		at += last[0]
	}
	return f.text.Position(start+at, e), nil
}

// elsewhere names the first lines that contain a symbol.
func (f file) elsewhere(symbol string) string {
	var found []string
	for i := range f.text.Lines() {
		if wholeWord(f.text.Line(i), symbol) >= 0 {
			found = append(found, fmt.Sprint(i+1))
		}
		if len(found) == 5 {
			break
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; lines with it: " + strings.Join(found, ", ")
}

// wholeWord returns the offset of a symbol in a line where no letters go on before
// and after it, or else of its first occurrence, or -1.
func wholeWord(line, symbol string) int {
	letter := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; at++ {
		i := strings.Index(line[at:], symbol)
		if i < 0 {
			return strings.Index(line, symbol)
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(symbol):])
		first, _ := utf8.DecodeRuneInString(symbol)
		last, _ := utf8.DecodeLastRuneInString(symbol)
		if !(letter(before) && letter(first)) && !(letter(after) && letter(last)) {
			return at
		}
	}
}

// document names a file in params.
func document(path string) map[string]any { return map[string]any{"uri": ide.FileURI(path)} }

// failure is the result of a request that was not answered.
func failure(ctx context.Context, err error) tools.Result {
	var e *tools.Error
	switch {
	case errors.As(err, &e):
		return tools.Result{Err: e}
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return tools.CancelledResult("")
	case errors.Is(err, ErrNoServer), errors.Is(err, langserver.ErrNone):
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v; use grep_search and read_file", err)}
	case errors.Is(err, context.DeadlineExceeded):
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "the language server did not answer within %v; use grep_search and read_file, or try again later", askTime)}
	}
	return tools.Result{Err: tools.Errorf(tools.Unhandled, "the language server failed: %s", tools.Shown(err.Error()))}
}
