package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits on one result, in bytes.
const (
	maxText  = 1 << 20
	maxBlobs = 8 << 20
)

// content collects the parts of a result.
type content struct {
	texts []string
	notes []string // describe what is not text, for the user
	blobs []tools.Blob
	size  int // of the blobs
}

// resultOf returns the result of a call for the model and the user.
func resultOf(server string, r *sdk.CallToolResult) tools.Result {
	var c content
	for _, piece := range r.Content {
		c.add(piece)
	}
	if len(r.Content) == 0 && r.StructuredContent != nil {
		if text, err := json.MarshalIndent(r.StructuredContent, "", "  "); err == nil {
			c.texts = append(c.texts, string(text))
		}
	}
	return c.result(server, r.IsError)
}

func (c *content) add(piece sdk.Content) {
	switch p := piece.(type) {
	case *sdk.TextContent:
		c.texts = append(c.texts, p.Text)
	case *sdk.ImageContent:
		c.addData("image", p.MIMEType, p.Data)
	case *sdk.AudioContent:
		c.addData("audio", p.MIMEType, p.Data)
	case *sdk.EmbeddedResource:
		if p.Resource != nil {
			c.resource(p.Resource)
		}
	case *sdk.ResourceLink:
		text := fmt.Sprintf("Resource %s: %s", tools.ShownLine(p.Name, 200), tools.ShownLine(p.URI, 2000))
		if p.Description != "" {
			text += " (" + tools.ShownLine(p.Description, 500) + ")"
		}
		c.texts = append(c.texts, text)
	default:
		c.texts = append(c.texts, "(content of an unknown type)")
	}
}

// resource adds the content of a resource.
func (c *content) resource(r *sdk.ResourceContents) {
	if r.Blob != nil && isText(r) {
		c.texts = append(c.texts, string(r.Blob))
		return
	}
	if r.Blob != nil {
		c.addData("resource "+tools.ShownLine(r.URI, 200), r.MIMEType, r.Blob)
		return
	}
	c.texts = append(c.texts, r.Text)
}

// isText reports whether a resource sent as data is text.
func isText(r *sdk.ResourceContents) bool {
	kind, _, _ := strings.Cut(strings.ToLower(r.MIMEType), ";")
	kind = strings.TrimSpace(kind)
	return (strings.HasPrefix(kind, "text/") || kind == "application/json") && utf8.Valid(r.Blob)
}

// media are the MIME types that models accept.
var media = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/heic", "image/heif", "audio/wav", "audio/mpeg", "audio/mp3", "audio/aac", "audio/ogg", "audio/flac", "application/pdf"}

// addData adds data, or a note if it cannot be sent to the model.
func (c *content) addData(what, mime string, data []byte) {
	kind, _, _ := strings.Cut(strings.ToLower(mime), ";")
	kind = strings.TrimSpace(kind)
	note := fmt.Sprintf("%s (%s, %d bytes)", what, tools.ShownLine(mime, 80), len(data))
	switch {
	case !slices.Contains(media, kind):
		c.texts = append(c.texts, "("+note+" is omitted: models do not accept this type)")
	case c.size+len(data) > maxBlobs:
		c.texts = append(c.texts, "("+note+" is omitted: the result is too large)")
	default:
		c.size += len(data)
		c.blobs = append(c.blobs, tools.Blob{MIME: kind, Data: data})
		c.texts = append(c.texts, "("+note+" is attached)")
	}
	c.notes = append(c.notes, note)
}

// result returns the collected result.
func (c *content) result(server string, failed bool) tools.Result {
	text := strings.Join(c.texts, "\n")
	lost := 0
	if len(text) > maxText {
		lost = len(text) - maxText
		head, tail := visible.CutBytes(text, maxText/2), text[len(text)-maxText/2:]
		text = head + fmt.Sprintf("\n(%d bytes omitted)\n", lost) + strings.ToValidUTF8(tail, "")
	}
	r := tools.Result{Display: text, Blobs: c.blobs, Origin: tools.OfMCP, Lost: lost}
	if text == "" {
		text = "(empty)"
	}
	r.Output, r.Raw = transcript.Enclose("untrusted_context", text), text
	r.Summary = summary(len(text), c.notes)
	if failed {
		r.Err = tools.Errorf(tools.ServerFailure, "The tool of the MCP server %s reported an error:", tools.ShownLine(server, 40))
	}
	return r
}

// summary describes a result in one line.
func summary(size int, notes []string) string {
	s := fmt.Sprintf("%d characters", size)
	if len(notes) > 0 {
		s += ", " + strings.Join(notes[:min(len(notes), 3)], ", ")
	}
	if len(notes) > 3 {
		s += fmt.Sprintf(" and %d more", len(notes)-3)
	}
	return s
}
