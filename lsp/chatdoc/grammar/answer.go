package grammar

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Answer formats an answer as it arrives. Each method returns the text to insert at
// the end of the answer's section, which is empty while a block is incomplete. How the
// model's text is cut into blocks does not depend on the pieces in which it arrives.
// The zero value is an answer without content.
type Answer struct {
	pending string // the beginning of a block of the model's text
	item    bool   // the last block is a list item
}

// Text adds a piece of the model's text, and returns the blocks that it completes.
func (a *Answer) Text(piece string) (blocks []string) {
	a.pending += piece
	if !strings.Contains(piece, "\n") && !strings.HasSuffix(strings.TrimSuffix(a.pending, piece), "\n") {
		return nil
	}
	start := 0
	for _, end := range boundaries(a.pending) {
		if b := a.block(a.pending[start:end]); b != "" {
			blocks = append(blocks, b)
		}
		start = end
	}
	a.pending = a.pending[start:]
	return blocks
}

// Flush ends the model's text.
func (a *Answer) Flush() string {
	whole := a.pending
	a.pending = ""
	return a.block(whole)
}

// block formats a whole block of the model's text.
func (a *Answer) block(markdown string) string {
	markdown = trimBlank(strings.ReplaceAll(markdown, "\r\n", "\n"))
	if markdown == "" {
		return ""
	}
	a.item = false
	return "\n" + Escape(Inert(visible.Text(markdown))) + "\n"
}

// AddCall adds a call that has ended: its title and, unless it is empty, its outcome.
func (a *Answer) AddCall(title, outcome string) string {
	return a.Flush() + a.listItem(CallLine(title, outcome))
}

// CallLine returns the tool line of a call, without a line end.
func CallLine(title, outcome string) string {
	l := "- " + codeSpan(title)
	if outcome != "" {
		l += ": " + Inert(visible.OneLine(visible.Text(outcome)))
	}
	return l
}

// allow begins a permission line.
const allow = "- **Allow?** "

// Allow adds a question for permission, or one of the model.
func (a *Answer) Allow(task string) string {
	return a.Flush() + a.listItem(Allow(task))
}

// Allow returns the permission line for a task, without a line end.
func Allow(task string) string { return allow + codeSpan(task) }

// codeSpan formats a text as one line of code, in which Markdown has no meaning.
func codeSpan(text string) string {
	text = visible.OneLine(visible.Text(text))
	if !strings.Contains(text, "`") {
		return "`" + text + "`"
	}
	ticks := fence(text, '`')
	return ticks + " " + text + " " + ticks
}

// IsAllow reports whether a line is a permission line.
func IsAllow(line string) bool { return strings.HasPrefix(line, allow) }

func (a *Answer) listItem(line string) string {
	text := line + "\n"
	if !a.item {
		text = "\n" + text
	}
	a.item = true
	return text
}

// AddNotice adds a notice of a kind, such as "Warning".
func (a *Answer) AddNotice(kind, text string) string {
	out := a.Flush()
	a.item = false
	return out + "\n> **" + kind + ":** " + strings.ReplaceAll(trimBlank(Inert(visible.Text(text))), "\n", "\n> ") + "\n"
}

// boundaries returns the starts of the blocks of a text that follow a blank line and do
// not continue the block before: that is complete. The blank lines of a block of code
// are not boundaries, and indented text may belong to a list.
func boundaries(markdown string) (l []int) {
	var within []span
	parsed, blank := false, false
	for at := 0; at < len(markdown); {
		current := line(markdown, at)
		switch {
		case strings.TrimSpace(current) == "":
			blank = true
		case blank && current[0] != ' ' && current[0] != '\t':
			if !parsed {
				parsed, within = true, verbatim(markdown)
			}
			if !inside(within, at) {
				l = append(l, at)
			}
			blank = false
		default:
			blank = false
		}
		at += len(current)
	}
	return l
}

// span is a range of offsets.
type span struct{ start, end int }

func inside(l []span, at int) bool {
	for _, s := range l {
		if at >= s.start && at < s.end {
			return true
		}
	}
	return false
}

// verbatim returns where the top-level blocks of code and HTML of a text are, whose
// blank lines end nothing.
func verbatim(markdown string) []span {
	var l []span
	for node := parseBlocks(markdown).FirstChild(); node != nil; node = node.NextSibling() {
		switch node := node.(type) {
		case *ast.FencedCodeBlock:
			// The fence that ends it is on the line after its last.
			if lines := node.Lines(); lines.Len() > 0 {
				l = append(l, span{lines.At(0).Start, NextLine(markdown, lines.At(lines.Len()-1).Stop)})
			}
		case *ast.HTMLBlock:
			if lines := node.Lines(); lines.Len() > 0 {
				end := lines.At(lines.Len() - 1).Stop
				if node.HasClosure() {
					end = max(end, node.ClosureLine.Stop)
				}
				l = append(l, span{lines.At(0).Start, end})
			}
		}
	}
	return l
}
