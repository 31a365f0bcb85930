package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// history is a conversation with what its translation needs.
type history struct {
	g        *Generator
	a        Abilities
	messages []model.Message
	ids      map[string]string // the ID of each call on the wire, by its own ID

	encrypted []string // encrypted reasoning that is sent
}

// maxID bounds the IDs of calls that other servers get back as they issued them, in bytes.
// Some read more in them, such as the name of the tool.
const maxID = 256

func (g *Generator) history(req model.Request) *history {
	h := &history{g: g, a: g.o.Abilities(req.Model), messages: req.Messages, ids: map[string]string{}}
	used := map[string]bool{}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(model.Call); ok {
				id := wireID(c.ID)
				if theirs := c.ProviderID; (validName(theirs) || g.o.Compatible && theirs != "" && len(theirs) <= maxID) && !used[theirs] {
					id = theirs // some servers use an ID again in a later answer
				}
				h.ids[c.ID], used[id] = id, true
			}
		}
	}
	return h
}

// id returns the ID on the wire of the call that r answers.
func (h *history) id(r model.Result) string {
	if id := h.ids[r.CallID]; id != "" {
		return id
	}
	return wireID(r.CallID)
}

// output returns the text of a result. The APIs have no field for a failure, and some
// servers refuse an empty output.
func output(r model.Result) string {
	switch {
	case r.Failed:
		return "Error: " + r.Output
	case r.Output == "":
		return "(no output)"
	}
	return r.Output
}

// blobKind is how a blob is sent.
type blobKind int

const (
	asText  blobKind = iota // as a text of its own, or that it was left out
	asImage                 // as a picture
	asFile                  // as a PDF file
)

// kindOf returns how a blob is sent to the model, and its text if it is one.
func (h *history) kindOf(b model.Blob) (blobKind, string) {
	switch mime := b.MediaType(); {
	case slices.Contains(model.PictureTypes, mime):
		return asImage, ""
	case mime == "application/pdf" && !h.a.NoFiles:
		return asFile, ""
	case strings.HasPrefix(mime, "text/"), mime == "application/json":
		return asText, strings.ToValidUTF8(string(b.Data), "\ufffd")
	default:
		return asText, "(content of the type " + mime + " was left out: the model cannot read it)"
	}
}

// dataURL returns a blob as a URL.
func dataURL(b model.Blob) string {
	return "data:" + b.MediaType() + ";base64," + base64.StdEncoding.EncodeToString(b.Data)
}

// cacheKey returns a key by which the server finds what it has cached of the same
// conversation. It is the same for all requests until the conversation is shortened,
// and reveals nothing of it.
func cacheKey(req model.Request) string {
	sum := sha256.New()
	sum.Write([]byte(req.Model + "\x00" + req.System + "\x00"))
	if len(req.Messages) > 0 {
		sum.Write([]byte(req.Messages[0].ID + "\x00"))
		for _, p := range req.Messages[0].Parts {
			if t, ok := p.(model.Text); ok {
				sum.Write([]byte(t.Text + "\x00"))
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// names returns the tools' names by their names on the wire.
func names(tools []model.Tool) map[string]string {
	out := map[string]string{}
	for _, t := range tools {
		out[wireName(t.Name)] = t.Name
	}
	return out
}
