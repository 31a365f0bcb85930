package grammar

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Inert returns Markdown that loads nothing when it is shown: a picture is a link after an
// exclamation mark, and HTML is text. It leaves code as it is.
func Inert(markdown string) string {
	strict := false
	for range 8 { // an escaped tag can end a block, so that what follows is read otherwise
		escaped := escapeActive(markdown, strict)
		switch {
		case escaped != markdown:
			markdown = escaped
		case !active(markdown):
			return markdown
		case strict:
			return fenced(markdown)
		default:
			strict = true
		}
	}
	return fenced(markdown)
}

// fenced returns a text as a block of code.
func fenced(text string) string {
	f := fence(text, '`')
	return f + "\n" + strings.TrimRight(text, "\n") + "\n" + f
}

// readings are the parsers of those who show Markdown: in a table, code ends with its cell.
var readings = []parser.Parser{goldmark.DefaultParser(), goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()}

// harmless matches what an angle bracket begins that is no tag: an address that is a link,
// or in a link.
var harmless = regexp.MustCompile(`^<(?:(?i:https?|mailto|file):[^\s<>]*|[\w.+-]+@[\w.-]+)>`)

// escapeActive escapes what may begin a picture or a tag outside of code. Unless strict, it
// leaves the address of a link in angle brackets.
func escapeActive(markdown string, strict bool) string {
	if !strings.ContainsAny(markdown, "!<") {
		return markdown
	}
	code := codeIn(readings[0], markdown)
	for i, in := range codeIn(readings[1], markdown) {
		code[i] = code[i] && in // code of everybody
	}
	var b strings.Builder
	escaped := false
	for i := range len(markdown) {
		c, rest := markdown[i], markdown[i:]
		begins := c == '!' && strings.HasPrefix(rest, "![") ||
			c == '<' && len(rest) > 1 && (rest[1] == '/' || rest[1] == '!' || rest[1] == '?' || rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z') &&
				!harmless.MatchString(rest) && (strict || !strings.HasSuffix(markdown[:i], "]("))
		if begins && !escaped && !code[i] {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		escaped = c == '\\' && !escaped && !code[i]
	}
	return b.String()
}

// codeIn reports for each byte of a text whether a parser reads it as code.
func codeIn(p parser.Parser, markdown string) []bool {
	code := make([]bool, len(markdown))
	mark := func(s text.Segment) {
		for i := s.Start; i < s.Stop; i++ {
			code[i] = true
		}
	}
	_ = ast.Walk(p.Parse(text.NewReader([]byte(markdown))), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no error can come
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				mark(n.Lines().At(i))
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					mark(t.Segment)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return code
}

// active reports whether a text has pictures or HTML in any reading.
func active(markdown string) bool {
	found := false
	for _, p := range readings {
		_ = ast.Walk(p.Parse(text.NewReader([]byte(markdown))), func(n ast.Node, _ bool) (ast.WalkStatus, error) { // no error can come
			switch n.(type) {
			case *ast.Image, *ast.RawHTML, *ast.HTMLBlock:
				found = true
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
	return found
}
