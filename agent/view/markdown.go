package view

import (
	"strings"
)

// Markdown returns an item and what is below it as Markdown, to be copied; with [StatusID] the
// whole conversation.
func (c *Conversation) Markdown(id string) string {
	roots := c.top
	if id != StatusID {
		e := c.items[id]
		if e == nil {
			return ""
		}
		roots = []*entry{e}
	}
	var pieces []string
	var walk func(e *entry)
	walk = func(e *entry) {
		if s := e.markdown(); s != "" {
			pieces = append(pieces, s)
		}
		for _, child := range e.children {
			walk(child)
		}
	}
	for _, e := range roots {
		walk(e)
	}
	return strings.Join(pieces, "\n\n") + "\n"
}

// markdown returns an item alone; empty for what says nothing later.
func (e *entry) markdown() string {
	switch e.Kind {
	case KindUser:
		var l []string
		for _, line := range e.Lines {
			l = append(l, "@"+line.Text.Text)
		}
		for _, p := range e.Parts {
			if p.Kind == Plain {
				l = append(l, strings.Split(p.Text, "\n")...)
			}
		}
		return "> " + strings.Join(l, "\n> ")
	case KindAnswer:
		return strings.TrimRight(e.Parts[0].Text, "\n")
	case KindCall:
		s := "**" + e.Title.Text + "**"
		if how := e.Outcome(); e.HasEnded() && how != "" {
			s += " (" + how + ")"
		}
		for _, p := range e.Parts {
			if p.Kind == Output {
				s += "\n\n" + fenced(strings.TrimRight(p.Text, "\n"))
			}
		}
		return s
	case KindPlan:
		var l []string
		for _, line := range e.Lines {
			mark := " "
			if line.State == Done {
				mark = "x"
			}
			l = append(l, "- ["+mark+"] "+line.Text.Text)
		}
		return strings.Join(l, "\n")
	case KindNotice:
		if e.Look != warning && e.Look != "error" {
			return ""
		}
		return "*" + e.Sentence() + "*"
	case KindTurn, KindThought, KindQueued, KindStatus:
	}
	return ""
}

// fenced returns code between fences that are longer than any in it.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "\n" + code + "\n" + fence
}
