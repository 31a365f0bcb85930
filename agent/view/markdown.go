package view

import (
	"slices"
	"strings"
)

// Below returns an item and what is below it, in the order of the screen; with [StatusID] the
// whole conversation. [Fill] may have to read their texts.
func (c *Conversation) Below(id string) []Item {
	roots := c.top
	if id != StatusID {
		e := c.items[id]
		if e == nil {
			return nil
		}
		roots = []*entry{e}
	}
	var l []Item
	for _, e := range below(roots) {
		i := e.Item
		i.Parts = slices.Clone(i.Parts)
		l = append(l, i)
	}
	return l
}

// MarkdownOf returns items as Markdown, to be copied.
func MarkdownOf(items []Item) string {
	var pieces []string
	for _, i := range items {
		if s := i.markdown(); s != "" {
			pieces = append(pieces, s)
		}
	}
	return strings.Join(pieces, "\n\n") + "\n"
}

// markdown returns an item alone; empty for what says nothing later.
func (e Item) markdown() string {
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
