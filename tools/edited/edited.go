// Package edited describes to the model what became of the edits that it proposed.
package edited

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of what the model reads about an edit.
const (
	hunkLines   = 40      // of the text of one hunk
	hunkContext = 3       // lines around an applied hunk
	maxComment  = 8 << 10 // characters of one comment
	maxColumn   = 2000    // characters of a line
)

// An Outcome is the decision on the edits that a call proposed.
type Outcome struct {
	Set      ledger.ChangeSet
	Folder   string   // relative to which the summary names files; empty: none
	Comments []string // by the user, verbatim
	Note     string   // how the edit was interpreted
	// Whole means that the call had the whole text of its file: it is not repeated
	// to the model.
	Whole  bool
	Hidden []string // the files whose text the model may not see, as in [tools.Edits]
	Left   string   // what of the call was not proposed, for the model
	// Undone are the IDs of the hunks that were applied, and are not any more.
	Undone []string
	// Failed is the error that prevented an allowed edit. Hunks that were not
	// applied then count as failed, whatever their state.
	Failed error
	// Text returns the text of a file after the edit, or "" if it cannot be read.
	Text func(ledger.FileChange) string
}

// Result reports to the model, hunk by hunk, whether its edits were applied, rejected
// by the user, conflicted or failed. The result is an error if nothing changed.
func Result(o Outcome) tools.Result {
	d := editReport{Outcome: o, count: map[string]int{}, why: o.Failed}
	if o.Left != "" {
		d.add(o.Left)
		d.add("The rest was proposed:")
	}
	for _, c := range o.Comments {
		if c = strings.TrimSpace(c); c != "" {
			text, _ := visible.Clip(c, maxComment)
			d.add("The user's comment:\n" + text)
		}
	}
	for _, f := range o.Set.Files {
		d.file(f)
		for _, h := range f.Hunks {
			d.why = cmp.Or(d.why, h.Err)
		}
	}
	if o.Note != "" && d.count[applied] > 0 {
		d.add("Note: " + o.Note + ".")
	}
	out := strings.TrimSuffix(d.out.String(), "\n")
	if d.out.Full {
		out += "\n[Output truncated; read the files to see their current text.]"
	}
	r := tools.Result{Output: out, Summary: d.summary(), Display: d.summary()}
	switch {
	case d.why != nil && d.count[failed] > 0:
		r.Err = d.failure()
	case d.count[applied]+d.count[pending] > 0:
	case d.count[rejected] > 0 && d.count[rejected] == d.total:
		r.Err = tools.Errorf(tools.PolicyViolation, "The user rejected the change; nothing was changed. Do not propose the same change again in this or another way; "+
			"continue without it, or ask what is wanted instead.")
	case d.total > 0:
		r.Err = tools.Errorf(tools.EditFailure, "Nothing was changed.")
	}
	return r
}

// Proposal reports to the model that its edits are before the user, who decides later. files
// are the edits with the text that each was made from.
func Proposal(o Outcome, files []ledger.Proposed) tools.Result {
	d := editReport{Outcome: o, count: map[string]int{}}
	d.add("Proposed: the user decides later and you will be told. Go on: your tools read the text with the edits; commands do not until they are accepted.")
	if o.Left != "" {
		d.add(o.Left)
		d.add("The rest was proposed:")
	}
	for i, f := range o.Set.Files {
		d.name(f)
		d.total += len(f.Hunks)
		d.count[pending] += len(f.Hunks)
		if i < len(files) {
			d.proposed(f, files[i])
		}
	}
	if o.Note != "" {
		d.add("Note: " + o.Note + ".")
	}
	out := strings.TrimSuffix(d.out.String(), "\n")
	if d.out.Full {
		out += "\n[Output truncated; read the files to see their proposed text.]"
	}
	where := d.where()
	summary := fmt.Sprintf("%s proposed in %s", tools.Count(d.total, "change", "changes"), where)
	return tools.Result{Output: out, Summary: summary, Display: summary}
}

// proposed reports the edits of one file, with the lines of the proposed text.
func (d *editReport) proposed(f ledger.FileChange, p ledger.Proposed) {
	if p.Op != ledger.Modify {
		d.add("- proposed: " + operation(f))
		return
	}
	if d.Whole {
		d.add("- proposed in full")
		return
	}
	text := ide.NewText(p.New)
	for _, k := range diff.Hunks(p.Base.Text.String(), p.New) {
		if d.out.Full {
			return
		}
		a, b := k.New.A, k.New.B
		from, to := text.LineAt(a), text.LineAt(b)
		if text.AtLineStart(b) && b > a {
			to--
		}
		first, last := max(from-hunkContext, 0), min(to+hunkContext, text.Lines()-1)
		where := lines(from+1, to+1, a == b)
		if a == b {
			where = "deleted " + where
		}
		d.add(fmt.Sprintf("- proposed: %s; context then:", where))
		d.text(f, text.Slice(text.LineStart(first), text.LineStart(last+1)), first+1)
	}
}

// lines names lines, counted from one, or the place where there are none.
func lines(from, to int, none bool) string {
	switch {
	case none && from > 1:
		return fmt.Sprintf("after line %d", from-1)
	case none:
		return "before line 1"
	case from == to:
		return fmt.Sprintf("line %d", from)
	}
	return fmt.Sprintf("lines %d-%d", from, to)
}

// operation names what was to be done with a whole file.
func operation(f ledger.FileChange) string {
	return map[ledger.Op]string{ledger.Create: "create the file", ledger.Delete: "delete the file", ledger.Rename: "rename the file to " + tools.Shown(f.NewPath)}[f.Op]
}

// What became of a hunk, as the model and the user read it, beside [ledger.State.Outcome].
const (
	failed = "failed"
	undone = "undone"
)

var applied, rejected, pending = ledger.Accepted.Outcome(), ledger.Rejected.Outcome(), ledger.Pending.Outcome()

// editReport collects the text about a change set.
type editReport struct {
	Outcome
	out   tools.Lines
	count map[string]int
	total int
	names []string // as the model knows them
	near  []string // as the user does
	why   error    // of the first change that was not written
}

// outcomeOf returns what became of a hunk.
func (d *editReport) outcomeOf(h ledger.Hunk) string {
	switch {
	case h.State.Applied():
	case d.Failed != nil, h.Err != nil:
		return failed
	case slices.Contains(d.Undone, h.ID):
		return undone
	}
	return h.State.Outcome()
}

// failure returns the error for edits that could not be written.
func (d *editReport) failure() *tools.Error {
	some := "Nothing was changed."
	if d.count[applied] > 0 {
		some = "Only the changes listed as applied were made."
	}
	e := tools.DiskError("write", strings.Join(d.names, ", "), d.why)
	switch e.Type {
	case tools.PermissionDenied:
		return tools.Errorf(e.Type, "The edit failed: the file or its folder is read-only. %s The user did not reject it: if the task needs the change, make the file writable first (chmod u+w) or ask the user.", some)
	case tools.NoSpaceLeft:
		return tools.Errorf(e.Type, "The edit failed: no space is left on the disk. %s The user did not reject it: tell the user, or free space first.", some)
	default:
		return tools.Errorf(e.Type, "The edit failed: %s. %s The user did not reject it.", e.Message, some)
	}
}

func (d *editReport) add(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		d.out.Add(strings.TrimSuffix(l, "\r"))
	}
}

// name begins the report of a file.
func (d *editReport) name(f ledger.FileChange) {
	name := tools.Shown(f.Path)
	if f.Path == "" {
		name = tools.Shown(string(f.URI))
	}
	near := name
	if rel, ok := paths.CutFolder(f.Path, d.Folder); ok && filepath.IsAbs(d.Folder) && f.Path != "" {
		near = tools.Shown(rel)
	}
	d.names, d.near = append(d.names, name), append(d.near, near)
	d.add(name + ":")
}

func (d *editReport) file(f ledger.FileChange) {
	d.name(f)
	if d.Whole && !slices.ContainsFunc(f.Hunks, func(h ledger.Hunk) bool { return d.outcomeOf(h) != applied || h.Edited }) {
		d.add("- applied in full")
		d.total += len(f.Hunks)
		d.count[applied] += len(f.Hunks)
		return
	}
	for _, h := range f.Hunks {
		fate := d.outcomeOf(h)
		d.total++
		d.count[fate]++
		if f.Op == ledger.Modify {
			d.reportHunk(f, h, fate)
		} else {
			d.reportFile(f, h, fate)
		}
	}
}

// reportFile reports a file that was to be created, deleted or renamed.
func (d *editReport) reportFile(f ledger.FileChange, h ledger.Hunk, fate string) {
	what := operation(f)
	if fate != applied {
		d.unapplied(f, h, fate, what)
		return
	}
	done := map[ledger.Op]string{ledger.Create: "file created", ledger.Delete: "file deleted", ledger.Rename: "file renamed to " + tools.Shown(f.NewPath)}[f.Op]
	if !h.Edited {
		d.add("- applied: " + done)
		return
	}
	text := h.NewText
	if now := d.Text(f); now != "" {
		text = now
	}
	d.add("- applied with the user's edits: " + done + "; text now:")
	d.text(f, text, 1)
}

// reportHunk reports a changed passage.
func (d *editReport) reportHunk(f ledger.FileChange, h ledger.Hunk, fate string) {
	at := place(h)
	if fate != applied {
		d.unapplied(f, h, fate, at)
		return
	}
	if d.out.Full {
		return
	}
	how := "applied"
	if h.Edited {
		how = "applied with the user's edits"
	}
	if d.Whole && !h.Edited {
		d.add(fmt.Sprintf("- %s: %s", how, at))
		return
	}
	lines, before := passage(d.Text(f), h)
	if h.NewText == "" {
		d.add(fmt.Sprintf("- %s: deleted %s; context now:", how, at))
	} else {
		d.add(fmt.Sprintf("- %s: %s; context now:", how, at))
	}
	d.text(f, lines, int(h.Range.Start.Line)+1-before)
}

// unapplied reports a change that was not made.
func (d *editReport) unapplied(f ledger.FileChange, h ledger.Hunk, fate, what string) {
	report := h.State.Report()
	switch fate {
	case undone:
		report = "undone since it was applied, so the old text is there again"
	case failed:
		report = "not written"
	}
	if report != "" && h.Because != "" {
		report += ", with the change that it builds on"
	}
	if report != "" {
		d.add("- " + report + ": " + what)
		return
	}
	reason := tools.Shown(h.Reason)
	if reason == "" {
		reason = "the text it was based on has changed"
	}
	d.add(fmt.Sprintf("- %s, not applied: %s: %s", fate, what, reason))
	if h.Nearest != nil {
		d.add("  Nearest passage now:")
		d.text(f, h.Nearest.Text, int(h.Nearest.Range.Start.Line)+1)
	}
}

// text adds numbered lines, beginning with the number first. It adds nothing of a
// file that the model may not read.
func (d *editReport) text(f ledger.FileChange, text string, first int) {
	if slices.Contains(d.Hidden, cmp.Or(f.Path, string(f.URI))) || secret.Named(f.Path) {
		d.add("  [not shown: the file is ignored or may hold secrets]")
		return
	}
	if text == "" {
		d.add("  [empty]")
		return
	}
	all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range all {
		if i == hunkLines {
			d.add(fmt.Sprintf("  [%s more]", tools.Count(len(all)-i, "line", "lines")))
			return
		}
		l, _ = visible.Clip(strings.TrimRight(l, "\r\n"), maxColumn)
		d.out.Add(fmt.Sprintf("%5d\t%s", first+i, l))
	}
}

// where names the files, or says how many they are.
func (d *editReport) where() string {
	if len(d.near) > 3 {
		return tools.Count(len(d.near), "file", "files")
	}
	return strings.Join(d.near, ", ")
}

func (d *editReport) summary() string {
	where := d.where()
	if d.total == d.count[applied] {
		return fmt.Sprintf("%s applied in %s", tools.Count(d.total, "change", "changes"), where)
	}
	var parts []string
	first, last := []string{applied, rejected, undone}, []string{failed, pending}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(d.count)), func(s string) bool { return slices.Contains(first, s) || slices.Contains(last, s) })
	for _, s := range slices.Concat(first, others, last) {
		if n := d.count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return fmt.Sprintf("%s in %s", strings.Join(parts, ", "), where)
}

// place names the lines of a hunk, counted from one. An empty range is the position
// after its line.
func place(h ledger.Hunk) string {
	from, to := int(h.Range.Start.Line)+1, int(h.Range.End.Line)
	if h.Range.End.Character > 0 {
		to++
	}
	return lines(from, to, to < from)
}

// passage returns the current text of an applied hunk with the lines around it,
// and how many of these come before it. A hunk that is no longer there is returned
// as it was applied.
func passage(text string, h ledger.Hunk) (lines string, before int) {
	if h.A < 0 || h.B < h.A || h.B > len(text) || !h.Edited && text[h.A:h.B] != h.NewText {
		return h.NewText, 0
	}
	a, b := h.A, h.B
	for range hunkContext {
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
