package present

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// textDoers are the actions that take a text which stands in an item.
var textDoers = map[string]doer{
	openText: openNamed,
	string(view.KindAnswer) + "/" + applyCode: apply,
}

// apply proposes a code block of an answer for the file that is named after its fence or in
// the line above, else for the one in which the user is. It is reviewed like an edit of the
// model's.
func apply(ctx context.Context, v *Views, c chosen) (acted, error) {
	if c.Text == nil || strings.TrimSpace(*c.Text) == "" {
		return acted{}, client.Unable("the code block is empty")
	}
	f, err := filesOf(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	l, err := f.target(c.value("info"), c.value("before"))
	switch {
	case err != nil:
		return acted{}, err
	case len(l) == 0:
		return applyWhereUserIs(ctx, v, f, c)
	case len(l) == 1:
		return applyTo(ctx, v, f, c, f.uri(l[0]), nil)
	}
	q := view.WhichFile(newID("apply"), c.Session, c.ID, l, foldersOf(v, c))
	v.askInstead(&asked{q: q, answer: func(ctx context.Context, p actParams) (acted, error) {
		for n, path := range l {
			if p.ActionID != view.FileOption(n) {
				continue
			}
			now, err := filesOf(ctx, v, c) // texts may have changed since
			if err != nil {
				return acted{}, err
			}
			return applyTo(ctx, v, now, c, now.uri(path), nil)
		}
		return acted{}, nil
	}})
	return acted{}, nil
}

// foldersOf returns the folders that paths are shown relative to.
func foldersOf(v *Views, c chosen) view.Folders {
	return v.about(v.c.Life(), c.Session).Folders
}

// nameForms are how models name the file of a block after its fence: `go title="a/b.go"`,
// `go:a/b.go`, `go a/b.go`, `a/b.go` and `b.go`.
var nameForms = sync.OnceValue(func() (l []*regexp.Regexp) {
	for _, s := range []string{`[\w-]+=["']([^"']+)["']`, `^[^\s:]*:(\S+)$`, `^\S+\s+(\S+)$`, `^(\S+/\S+)$`, `^(\S+\.\w+)$`} {
		l = append(l, regexp.MustCompile(s))
	}
	return l
})

// target returns the file that a block is for: the one that is named after its fence, which
// need not exist, or the one that stands alone in the line above; several if the name is not
// of one; none if there is no name.
func (f files) target(info, before string) ([]string, error) {
	for _, form := range nameForms() {
		m := form.FindStringSubmatch(strings.TrimSpace(info))
		if m == nil || !strings.ContainsAny(m[1], `./\`) || strings.ContainsAny(m[1], "{}") {
			continue
		}
		var inside string
		for _, r := range references(m[1]) {
			if l, _ := f.lookUp(r.name); len(l) > 0 {
				return l, nil
			}
		}
		for _, path := range f.candidates(m[1]) {
			if inside == "" && f.isOpen(path) {
				inside = path
			}
		}
		if inside == "" {
			return nil, client.Unable("%s is outside of the session's folders", m[1])
		}
		return []string{inside}, nil
	}
	alone := strings.Trim(strings.TrimRight(strings.NewReplacer("*", "", "#", "", "`", "").Replace(before), ": \t"), " \t")
	if alone == "" || strings.ContainsAny(alone, " \t") {
		return nil, nil
	}
	for _, name := range []string{alone, strings.Trim(alone, "_:")} {
		for _, r := range references(name) {
			if l, _ := f.lookUp(r.name); len(l) > 0 {
				return l, nil
			}
		}
	}
	return nil, nil
}

// applyWhereUserIs proposes a block for the file in which the user is: in place of what they
// have selected, if they have.
func applyWhereUserIs(ctx context.Context, v *Views, f files, c chosen) (acted, error) {
	focus := v.c.Focus.Current()
	if focus.Active == "" {
		return acted{}, client.Unable("the answer names no file for this code, and none is open: open the one that it is for")
	}
	if len(focus.Selections) > 0 && focus.Selections[0].Start != focus.Selections[0].End {
		return applyTo(ctx, v, f, c, string(focus.Active), &focus.Selections[0])
	}
	return applyTo(ctx, v, f, c, string(focus.Active), nil)
}

// applyTo proposes a block for a file: in place of a range, or of the lines that it is a new
// version of.
func applyTo(ctx context.Context, v *Views, f files, c chosen, uri string, at *ide.Range) (acted, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return acted{}, err
	}
	name := uri
	if path := ide.ParseURI(uri).Path(); path != "" {
		name = path
		if near := foldersOf(v, c); near != nil {
			name = near.Near(path)
		}
	}
	p := agent.UserProposal{SessionID: c.Session, URI: uri, Range: at, NewText: *c.Text, Title: "Apply code to " + filepath.ToSlash(name), Snapshot: f.snapshot}
	isNew := false
	switch file, err := f.snapshot.Read(ctx, uri); {
	case errors.Is(err, fs.ErrNotExist):
		isNew = true
		p.NewText = indentedText(codeLines(*c.Text), "")
	case err != nil:
		return acted{}, err
	case at != nil:
		if whole := at.End.Character == 0 && at.End.Line > at.Start.Line; whole && !strings.HasSuffix(p.NewText, "\n") {
			p.NewText += "\n"
		}
	default:
		p.NewText = withCode(file.Text.String(), *c.Text, cursorIn(v, uri))
	}
	cs, err := h.Agent.Propose(ctx, p)
	if errors.Is(err, ledger.ErrNoChange) {
		return acted{}, client.Unable("%s has this code already", name)
	}
	if err != nil {
		return acted{}, err
	}
	if isNew { // there is nothing to open yet
		return steps(view.Step{Diff: []view.Compared{{Place: view.Place{URI: uri}, New: p.NewText}}})
	}
	return steps(view.Step{Open: firstEdit(cs)})
}

// firstEdit returns where the first edit of a change set is that waits.
func firstEdit(cs ledger.ChangeSet) *view.Place {
	for _, file := range cs.Files {
		p := &view.Place{URI: string(file.URI)}
		if file.Spelling != "" {
			p.URI = file.Spelling
		}
		for _, h := range file.Hunks {
			if h.State.Waits() {
				at := view.Position{Line: int(h.Range.Start.Line)}
				p.Range = &view.Range{Start: at, End: at}
				return p
			}
		}
	}
	return nil
}

// cursorIn returns the line at which the user is in a file; -1 if they are in another.
func cursorIn(v *Views, uri string) int {
	focus := v.c.Focus.Current()
	if focus.Active != ide.ParseURI(uri) || len(focus.Selections) == 0 {
		return -1
	}
	return int(focus.Selections[0].Start.Line)
}

// withCode returns a text with a block of code in it. A block that is found nowhere goes before
// the line at the cursor, or to the end if that is elsewhere.
func withCode(text, code string, cursor int) string {
	ended := strings.SplitAfter(text, "\n")
	if ended[len(ended)-1] == "" {
		ended = ended[:len(ended)-1]
	}
	lines := make([]string, len(ended))
	for i, line := range ended {
		lines[i] = strings.TrimRight(line, "\r\n")
	}
	if cursor < 0 || cursor > len(lines) {
		cursor = len(lines)
	}
	at := placeCode(lines, codeLines(code), cursor)
	before := strings.Join(ended[:at.start], "")
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return before + at.text + strings.Join(ended[at.end:], "")
}
