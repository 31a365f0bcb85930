package view

import (
	"net/url"
	"slices"
	"strings"
)

// HasText reports whether a text stands in an item, or is the address of what it names.
func (i Item) HasText(text string) bool {
	plain := unescaped(text)
	has := func(s string) bool { return strings.Contains(s, text) || strings.Contains(unescaped(s), plain) }
	said := func(t *Text) bool { return t != nil && (has(t.Text) || has(t.Short)) }
	is := func(p *Place) bool { return p != nil && (has(p.URI) || has(p.NewURI)) }
	return said(&i.Title) || said(i.Note) || is(i.Place) ||
		slices.ContainsFunc(i.Lines, func(l Line) bool { return said(&l.Text) || said(l.Label) || is(l.Place) }) ||
		slices.ContainsFunc(i.Parts, func(p Part) bool {
			return has(p.Text) || said(p.Label) || is(p.Place) || slices.ContainsFunc(p.Rows, func(r Row) bool { return has(r.Text) })
		})
}

// unescaped returns an address without percent signs; another text as it is.
func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// URIsIn returns the addresses of the files that the items of a conversation name: those that calls read and edit,
// that were added to prompts, and that turns changed.
func URIsIn(c *Conversation) []string {
	named := map[string]bool{}
	note := func(p *Place) {
		if p != nil {
			named[p.URI], named[p.NewURI] = true, true
		}
	}
	for _, i := range c.all() {
		note(i.Place)
		for _, l := range i.Lines {
			note(l.Place)
		}
		for _, p := range i.Parts {
			note(p.Place)
		}
	}
	delete(named, "")
	l := make([]string, 0, len(named))
	for uri := range named {
		l = append(l, uri)
	}
	slices.Sort(l)
	return l
}

// Texts returns what a question says, as an item.
func (q Question) Texts() Item {
	return Item{ID: q.ID, Title: q.Title, Note: &q.Brief, Lines: q.Lines, Parts: q.Parts}
}
