package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
)

// Messages shows messages in place of LSP's.
type Messages interface {
	Message(kind protocol.MessageType, text string)
	// Choose asks the user to choose one of the titles, of which the first decides nothing.
	Choose(ctx context.Context, text string, titles []string) (string, error)
}

// ShowMessage shows the user a message. Every client supports it.
func (c *Client) ShowMessage(ctx context.Context, kind protocol.MessageType, text string) {
	if c.Can.View {
		c.Messages.Message(kind, text)
		return
	}
	c.Notify(ctx, "window/showMessage", protocol.ShowMessageParams{Type: kind, Message: text})
}

// Info shows the user an information message, as a warning where the client shows no other.
func (c *Client) Info(ctx context.Context, text string) {
	kind := protocol.MessageTypeInfo
	if c.Can.HidesInfo {
		kind = protocol.MessageTypeWarning
	}
	c.ShowMessage(ctx, kind, text)
}

// Warn shows the user a warning.
func (c *Client) Warn(ctx context.Context, text string) {
	c.ShowMessage(ctx, protocol.MessageTypeWarning, text)
}

// Error shows the user an error.
func (c *Client) Error(ctx context.Context, text string) {
	c.ShowMessage(ctx, protocol.MessageTypeError, text)
}

// Choose shows the user a warning with buttons and returns the title of the one
// pressed, or "" if the message was closed. The client must be able to, see
// [Abilities.Chooses].
func (c *Client) Choose(ctx context.Context, text string, titles ...string) (string, error) {
	if c.Can.View {
		return c.Messages.Choose(ctx, text, titles)
	}
	p := protocol.ShowMessageRequestParams{Type: protocol.MessageTypeWarning, Message: WithLength(text)}
	for _, t := range titles {
		p.Actions = append(p.Actions, protocol.MessageActionItem{Title: t})
	}
	var chosen *protocol.MessageActionItem
	if err := c.Ask(ctx, "window/showMessageRequest", p, &chosen); err != nil || chosen == nil {
		return "", err
	}
	return chosen.Title, nil
}

// ShowDocument opens a document because the user's own command asked for it, and does
// not wait for that.
func (c *Client) ShowDocument(doc string, selection *ide.Range) {
	if !c.Can.ShowDocument {
		return
	}
	p := protocol.ShowDocumentParams{URI: uri.URI(doc), TakeFocus: new(true)}
	if selection != nil {
		p.Selection = new(Range(*selection))
	}
	wait, err := c.Begin(c.Life(), "window/showDocument", p, nil) // in the order of the commands
	if err != nil {
		c.Log.Debug("document not shown", "error", err)
		return
	}
	c.Go(func() {
		if err := wait(); err != nil {
			c.Log.Debug("document not shown", "error", err)
		}
	})
}

// Range converts a range to LSP's.
func Range(r ide.Range) protocol.Range {
	return protocol.Range{Start: protocol.Position(r.Start), End: protocol.Position(r.End)}
}

// The part of a message that every editor shows. Some show only the beginning or
// the end of a longer one.
const (
	seenChars = 800
	seenLines = 12
)

// WithLength returns text, preceded and followed by its length if it is long: the
// part that matters may be where the editor cuts it off.
func WithLength(text string) string {
	chars := utf8.RuneCountInString(text)
	if chars <= seenChars && strings.Count(text, "\n") < seenLines {
		return text
	}
	size := fmt.Sprintf("(This question is long: %s, %d characters. Approve it only if you can see all of it.)", Count(CountLines(text), "line"), chars)
	return size + "\n\n" + text + "\n\n" + size
}

// Count returns n followed by the noun, in the plural unless n is 1.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// CountLines returns the number of lines of s. What follows its last line end counts if it is
// not empty.
func CountLines(s string) int {
	t := ide.NewText(s)
	n := t.Lines()
	if t.Line(n-1) == "" {
		n--
	}
	return n
}

// LineAround returns the line that holds an offset, without its indentation and
// line end. For the end of a text that ends with a line end it is the last line
// with text: some editors do not let the cursor go behind it.
func LineAround(t *ide.Text, at int, enc ide.Encoding) ide.Range {
	n := t.LineAt(at)
	if n > 0 && t.LineStart(n) == t.Len() {
		n--
	}
	line := t.Line(n)
	body := strings.TrimRight(line, "\r\n")
	start := t.LineStart(n)
	end := start + len(body)
	return t.Range(start+len(body)-len(strings.TrimLeft(body, " \t")), end, enc)
}
