package review

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// words returns a phrase about a hunk.
func words(code string, args ...any) string { return phrase.Say("plain."+code, args...).Text }

// counted returns how many there are of something, in words.
func counted(code string, n int) string { return words(code, "n", n) }

// linesOf returns the number of lines of a text in words.
func linesOf(text string) string { return counted("lines", client.CountLines(text)) }

// summary says in one line what the hunk does, or has done.
func (u undecided) summary() string {
	code := ""
	if u.Unreviewed() {
		code = "applied_"
	}
	if u.file.Omitted != "" {
		return words("applied_" + string(u.file.Omitted))
	}
	switch u.file.Op {
	case ledger.Create, ledger.Delete, ledger.Rename:
		return words(code+string(u.file.Op), "new", linesOf(u.NewText), "path", u.file.NewPath)
	case ledger.Modify:
	}
	switch {
	case u.OldText == "":
		code += "insert"
	case u.NewText == "":
		code += "remove"
	default:
		code += "replace"
	}
	return words(code, "old", linesOf(u.OldText), "new", linesOf(u.NewText))
}

// excerpt is the summary with the beginning of the text that is added, or of what is removed
// if nothing is: not every editor shows more of a hunk than the titles of its actions.
func (u undecided) excerpt() string {
	mark, text := "+", u.NewText
	if text == "" || u.file.Op == ledger.Delete {
		mark, text = "-", u.OldText
	}
	if u.file.Op == ledger.Rename {
		text = ""
	}
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if line = strings.TrimSpace(line); line != "" {
			return words("excerpt", "what", u.summary(), "text", mark+" "+visible.Short(line, titleWidth))
		}
	}
	return u.summary()
}

// message returns what a hunk changes, and its first lines.
func (u undecided) message() string {
	code := "pending"
	if u.Unreviewed() {
		code = "unreviewed"
	}
	var b strings.Builder
	b.WriteString(words(code, "title", u.set.Title, "what", u.summary()))
	if u.file.Runs {
		b.WriteString("\n" + phrase.Say("hunk.runs").Text)
	}
	if u.Committed {
		b.WriteString("\n" + phrase.Say("hunk.committed").Text)
	}
	if u.isFinal() {
		b.WriteString("\n" + phrase.Say("hunk.final", "reason", u.Reason).Text)
	}
	if u.file.Op == ledger.Modify {
		quote(&b, "-", u.OldText, shownLines/2)
		quote(&b, "+", u.NewText, shownLines/2)
	}
	return b.String()
}

// isFinal reports whether the hunk cannot be undone.
func (u undecided) isFinal() bool { return u.Unreviewed() && u.file.Omitted != "" && u.Reason != "" }

// title returns the title of an action on the hunk, with how many others it takes along.
func (u undecided) title(do ledger.Action, what string) string {
	code, along := string(do), 0
	switch do {
	case ledger.Accept:
		along = u.Bases
		code += "_bases"
	case ledger.Reject, ledger.Undo:
		along = u.Dependents
		code += "_dependents"
	case ledger.Keep, ledger.Reopen:
	}
	if along == 0 {
		code = string(do)
	}
	return words(code, "n", along, "what", what)
}

// quote writes the first lines of a text, each after a mark.
func quote(b *strings.Builder, mark, text string, most int) {
	if text == "" {
		return
	}
	l := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range l {
		if i == most {
			fmt.Fprintf(b, "\n%s …", mark)
			return
		}
		r, rest := []rune(strings.TrimSuffix(line, "\r")), ""
		if len(r) > shownWidth {
			r, rest = r[:shownWidth], "…"
		}
		fmt.Fprintf(b, "\n%s %s%s", mark, visible.Text(string(r)), rest)
	}
}

// pathOf returns a hunk's file as the user reads it.
func (v *Review) pathOf(u undecided) string { return v.c.Near(cmp.Or(u.file.Path, u.uri())) }
