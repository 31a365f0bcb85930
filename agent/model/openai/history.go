package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// history is a conversation with what its translation needs.
type history struct {
	g        *Generator
	a        catalogue.Abilities
	messages []model.Message
	ids      map[string]string // the ID of each call on the wire, by its own ID

	encrypted []string // encrypted reasoning that is sent
}

// maxID bounds the IDs of calls that other servers get back as they issued them, in bytes.
// Some read more in them, such as the name of the tool.
const maxID = 256

func (g *Generator) history(req model.Request) *history {
	h := &history{g: g, a: g.abilities(req.Model), messages: req.Messages, ids: map[string]string{}}
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

// contentOf returns how a blob is sent to the model, one of the three: as the URL of a
// picture, as that of a PDF file, or as a text.
func (h *history) contentOf(b model.Blob) (image, file, text string) {
	url := func() string { return "data:" + b.MediaType() + ";base64," + base64.StdEncoding.EncodeToString(b.Data) }
	switch mime := b.MediaType(); {
	case slices.Contains(model.PictureTypes, mime):
		return url(), "", ""
	case mime == "application/pdf" && !catalogue.Lacks(h.a.Images):
		return "", url(), ""
	case strings.HasPrefix(mime, "text/"), mime == "application/json":
		return "", "", strings.ToValidUTF8(string(b.Data), "\ufffd")
	default:
		return "", "", "(content of the type " + mime + " was left out: the model cannot read it)"
	}
}

// pdfName is the name of every PDF file that is sent, which the APIs want.
const pdfName = "document.pdf"

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
