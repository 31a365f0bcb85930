package tools

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// How much of what was decided the model reads.
const (
	decidedLines   = 40      // of the text of one hunk
	decidedNear    = 3       // lines around an accepted one
	decidedComment = 8 << 10 // characters of one comment
)

// Decided tells the model what became of the changes that it proposed, hunk by
// hunk, with the user's comments as they were written. note is what it should
// know of how its edit was understood; live gives the text of a file as it is
// now, "" when it cannot be read. The result is an error when nothing was changed:
// the user's word that it shall not be, or a conflict.
func Decided(cs ledger.ChangeSet, comments []string, note string, live func(ledger.FileChange) string) Result {
	d := decided{count: map[ledger.State]int{}, live: live}
	for _, c := range comments {
		if c = strings.TrimSpace(c); c != "" {
			text, _ := clip(c, decidedComment)
			d.say("The user's comment:\n" + text)
		}
	}
	for _, f := range cs.Files {
		d.file(f)
	}
	if note != "" && d.count[ledger.Accepted] > 0 {
		d.say("Note: " + note + ".")
	}
	out := strings.TrimSuffix(d.out.s.String(), "\n")
	if d.out.full {
		out += "\n[The rest is left out; read the files to see how they stand.]"
	}
	r := Result{Output: out, Summary: d.summary(), Display: d.summary()}
	switch {
	case d.count[ledger.Accepted]+d.count[ledger.Pending] > 0:
	case d.count[ledger.Rejected] > 0 && d.count[ledger.Rejected] == d.total:
		r.Err = Errorf(PolicyViolation, "The user rejected the change; nothing was changed. That is the user's decision: do not propose the same again in this or another way; "+
			"go on without it, or ask what is wanted instead.")
	case d.total > 0:
		r.Err = Errorf(EditFailure, "Nothing was changed.")
	}
	return r
}

// decided is the words on a change set as they grow.
type decided struct {
	out   lines
	count map[ledger.State]int
	total int
	names []string
	live  func(ledger.FileChange) string
}

func (d *decided) say(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		d.out.add(strings.TrimSuffix(l, "\r"))
	}
}

func (d *decided) file(f ledger.FileChange) {
	name := Shown(f.Path)
	if f.Path == "" {
		name = Shown(string(f.URI))
	}
	d.names = append(d.names, name)
	d.say(name + ":")
	for _, h := range f.Hunks {
		d.total++
		d.count[h.State]++
		if f.Op == ledger.Modify {
			d.hunk(f, h)
		} else {
			d.whole(f, h)
		}
	}
}

// whole tells of a file that was to be created, deleted or renamed.
func (d *decided) whole(f ledger.FileChange, h ledger.Hunk) {
	what := map[ledger.Op]string{ledger.Create: "creating the file", ledger.Delete: "deleting the file", ledger.Rename: "renaming the file to " + Shown(f.NewPath)}[f.Op]
	switch h.State {
	case ledger.Accepted:
		done := map[ledger.Op]string{ledger.Create: "the file was created", ledger.Delete: "the file was deleted", ledger.Rename: "the file was renamed to " + Shown(f.NewPath)}[f.Op]
		if h.Edited {
			text := h.NewText
			if now := d.live(f); now != "" {
				text = now
			}
			d.say("- accepted as the user edited it: " + done + " with this text:")
			d.text(f, text, 1)
			return
		}
		d.say("- accepted: " + done)
	case ledger.Rejected:
		d.say("- rejected by the user: " + what)
	case ledger.Pending:
		d.say("- not decided yet: " + what)
	case ledger.Conflicted, ledger.Superseded, ledger.Partial:
		d.failed(f, h, what)
	}
}

func (d *decided) hunk(f ledger.FileChange, h ledger.Hunk) {
	at := place(h)
	switch h.State {
	case ledger.Accepted:
		how := "accepted"
		if h.Edited {
			how = "accepted as the user edited it"
		}
		if d.out.full {
			return
		}
		lines, before := passage(d.live(f), h)
		if h.NewText == "" {
			d.say(fmt.Sprintf("- %s, taken away %s; around it the file now reads:", how, at))
		} else {
			d.say(fmt.Sprintf("- %s, %s; it now reads:", how, at))
		}
		d.text(f, lines, int(h.Range.Start.Line)+1-before)
	case ledger.Rejected:
		d.say("- rejected by the user, " + at + " stays as it is; this was not written:")
		d.text(f, h.NewText, 0)
	case ledger.Pending:
		d.say("- not decided yet, " + at)
	case ledger.Conflicted, ledger.Superseded, ledger.Partial:
		d.failed(f, h, at)
	}
}

// failed tells of a hunk that could not be decided.
func (d *decided) failed(f ledger.FileChange, h ledger.Hunk, what string) {
	reason := Shown(h.Reason)
	if reason == "" {
		reason = "the text that it was made from has changed"
	}
	d.say(fmt.Sprintf("- not made (%s), %s: %s", h.State, what, reason))
	if h.Nearest != nil {
		d.say("  What stands there now, or comes nearest to it:")
		d.text(f, h.Nearest.Text, int(h.Nearest.Range.Start.Line)+1)
	}
}

// text writes lines with their numbers from first on, or without any when
// first is zero. What may hold secrets is not written.
func (d *decided) text(f ledger.FileChange, text string, first int) {
	if LooksSecret(f.Path) {
		d.say("  [not shown: the file may hold secrets]")
		return
	}
	if text == "" {
		d.say("  [nothing]")
		return
	}
	all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range all {
		if i == decidedLines {
			d.say(fmt.Sprintf("  [%s more]", count(len(all)-i, "line", "lines")))
			return
		}
		l, _ = clip(strings.TrimRight(l, "\r\n"), readColumn)
		if first > 0 {
			l = fmt.Sprintf("%5d\t%s", first+i, l)
		} else {
			l = "     \t" + l
		}
		d.out.add(l)
	}
}

func (d *decided) summary() string {
	where := strings.Join(d.names, ", ")
	if len(d.names) > 3 {
		where = count(len(d.names), "file", "files")
	}
	if d.total == d.count[ledger.Accepted] {
		return fmt.Sprintf("%s accepted in %s", count(d.total, "change", "changes"), where)
	}
	var parts []string
	for _, s := range []ledger.State{ledger.Accepted, ledger.Rejected, ledger.Conflicted, ledger.Superseded, ledger.Pending} {
		if n := d.count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return fmt.Sprintf("%s in %s", strings.Join(parts, ", "), where)
}

// place names the lines of a hunk, counted from one.
func place(h ledger.Hunk) string {
	from, to := h.Range.Start.Line+1, h.Range.End.Line
	if h.Range.End.Character > 0 {
		to++
	}
	switch {
	case to < from:
		return fmt.Sprintf("before line %d", from)
	case to == from:
		return fmt.Sprintf("line %d", from)
	}
	return fmt.Sprintf("lines %d-%d", from, to)
}

// passage is an accepted hunk as it reads now with the lines around it, and how
// many of these come before it; only what was accepted when it does not stand
// there any more.
func passage(text string, h ledger.Hunk) (lines string, before int) {
	if h.A < 0 || h.B < h.A || h.B > len(text) || !h.Edited && text[h.A:h.B] != h.NewText {
		return h.NewText, 0
	}
	a, b := h.A, h.B
	for range decidedNear {
		if a > 0 {
			a = strings.LastIndexByte(text[:a-1], '\n') + 1
			before++
		}
		if n := strings.IndexByte(text[b:], '\n'); n >= 0 {
			b += n + 1
		} else {
			b = len(text)
		}
	}
	return text[a:b], before
}
