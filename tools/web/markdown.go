package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/emendo-dev/emendo/tools"
)

// Limits of a page. A page can be small and its Markdown huge: nested quotes
// repeat their marks on each line, and tables fill up to the longest row. What
// is beyond the limits is left out.
const (
	maxHTML  = 5 << 20   // bytes that are parsed
	maxText  = 512 << 10 // bytes of text, and of attributes that become text
	maxNodes = 200_000
	maxDepth = 12     // of lists and quotes in each other
	maxCells = 50_000 // of a table, with each row filled up
)

// markdown returns an HTML page as Markdown: its main part, if it marks one, with
// absolute links, and without scripts and what is hidden.
func markdown(text string, at *url.URL) page {
	p := page{kind: "text/html", cut: len(text) > maxHTML}
	text = text[:min(len(text), maxHTML)]
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil { // nested too deeply
		p.text = bareText(text)
		return p
	}
	if n := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Title }); n != nil {
		p.title = tools.ShownLine(textOf(n), 200)
	}
	if n := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Base && attribute(n, "href") != "" }); n != nil {
		if base, err := at.Parse(attribute(n, "href")); err == nil {
			at = base
		}
	}
	root := find(doc, isMain)
	if root == nil || len(strings.TrimSpace(textOf(root))) < 200 {
		root = doc
	}
	t := tidy{base: at}
	t.children(root, 0)
	p.cut = p.cut || t.overLimit()
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))))
	// Nothing is escaped: a model reads the text as it is. The base plugin escapes
	// angle brackets whatever the mode.
	c.Register.TextTransformer(func(_ converter.Context, s string) string { return hideBrackets.Replace(s) }, converter.PriorityEarly)
	c.Register.TextTransformer(func(_ converter.Context, s string) string { return showBrackets.Replace(s) }, converter.PriorityLate)
	md, err := c.ConvertNode(root)
	if err != nil {
		p.text = bareText(text)
		return p
	}
	p.text = strings.TrimSpace(string(md))
	return p
}

var (
	hideBrackets = strings.NewReplacer("<", "\ue0f0", ">", "\ue0f1")
	showBrackets = strings.NewReplacer("\ue0f0", "<", "\ue0f1", ">")
)

func isMain(n *html.Node) bool { return n.DataAtom == atom.Main || attribute(n, "role") == "main" }

// find returns the first element that f reports true for, or nil.
func find(n *html.Node, f func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && f(d) {
			return d
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text in a node, at most maxText bytes.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style {
			if b.WriteString(d.Data); b.Len() > maxText {
				break
			}
		}
	}
	return b.String()
}

// tidy prepares a tree for the converter: it removes what is not read, makes
// addresses absolute, and keeps the tree within the limits.
type tidy struct {
	base  *url.URL
	nodes int
	bytes int
}

func (t *tidy) overLimit() bool { return t.nodes > maxNodes || t.bytes > maxText }

// skipped are elements whose content is not read.
var skipped = []atom.Atom{
	atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Embed, atom.Canvas, atom.Select, atom.Textarea, atom.Input,
	atom.Video, atom.Audio, atom.Head, atom.Math,
}

// children tidies what is in n, which is in depth lists and quotes.
func (t *tidy) children(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if t.admit(c) {
			t.element(c, depth)
		} else {
			n.RemoveChild(c)
		}
		c = next
	}
}

// admit counts a node and reports whether it stays.
func (t *tidy) admit(n *html.Node) bool {
	if t.overLimit() {
		return false
	}
	t.nodes++
	switch n.Type {
	case html.TextNode:
		t.bytes += len(n.Data)
		if over := t.bytes - maxText; over > 0 {
			n.Data = strings.ToValidUTF8(n.Data[:len(n.Data)-over], "")
		}
		return true
	case html.ElementNode:
		hidden := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
		return !hidden && !slices.Contains(skipped, n.DataAtom)
	}
	return n.Type == html.DocumentNode
}

func (t *tidy) element(n *html.Node, depth int) {
	var attrs []html.Attribute
	for _, a := range n.Attr {
		switch a.Key {
		case "href", "src":
			if a.Val = t.absolute(a.Val); a.Val == "" {
				continue
			}
		case "alt", "title", "start", "lang": // the converter reads them
		case "class":
			if n.DataAtom != atom.Code && n.DataAtom != atom.Pre { // of code it has the language
				continue
			}
		default: // colspan and rowspan too, which repeat cells as often as they say
			continue
		}
		t.bytes += len(a.Val)
		attrs = append(attrs, a)
	}
	n.Attr = attrs
	switch n.DataAtom {
	case atom.Img:
		if attribute(n, "src") == "" {
			*n = html.Node{Type: html.TextNode, Data: attribute(n, "alt"), Parent: n.Parent, PrevSibling: n.PrevSibling, NextSibling: n.NextSibling}
		}
		return
	case atom.A:
		if attribute(n, "href") == "" {
			rename(n, atom.Span)
		}
	case atom.Blockquote, atom.Ul, atom.Ol:
		if depth++; depth > maxDepth {
			rename(n, atom.Div)
		}
	}
	t.children(n, depth)
	if n.DataAtom == atom.Table && tooManyCells(n) {
		for d := range n.Descendants() {
			switch d.DataAtom {
			case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Td, atom.Th:
				rename(d, atom.Div)
			}
		}
		rename(n, atom.Div)
	}
}

func rename(n *html.Node, a atom.Atom) { n.DataAtom, n.Data = a, a.String() }

// tooManyCells reports whether a table is too large once each row has as many
// cells as the longest.
func tooManyCells(n *html.Node) bool {
	rows, longest := 0, 0
	for d := range n.Descendants() {
		if d.DataAtom != atom.Tr {
			continue
		}
		cells := 0
		for c := range d.ChildNodes() {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				cells++
			}
		}
		rows, longest = rows+1, max(longest, cells)
	}
	return rows*longest > maxCells
}

// absolute returns an address of the page in full; empty for data and scripts.
func (t *tidy) absolute(ref string) string {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "#") {
		return ref
	}
	u, err := t.base.Parse(ref)
	if err != nil || u.Scheme == "data" || u.Scheme == "javascript" || u.Scheme == "blob" {
		return ""
	}
	return u.String()
}

// blocks are elements that begin a line in bareText.
var blocks = []atom.Atom{
	atom.P, atom.Div, atom.Br, atom.Li, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Blockquote, atom.Section, atom.Article, atom.Dt, atom.Dd,
}

// bareText returns the text of a page that cannot be converted.
func bareText(text string) string {
	var b strings.Builder
	in := atom.Atom(0) // the element whose text is skipped
	for z := html.NewTokenizer(strings.NewReader(text)); b.Len() < maxText; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			if in == 0 {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch a := atom.Lookup(name); {
			case a == atom.Script || a == atom.Style:
				in = a
			case slices.Contains(blocks, a) && !strings.HasSuffix(b.String(), "\n"):
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == in {
				in = 0
			}
		}
	}
	return strings.TrimSpace(b.String())
}
