package model

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // likewise
	"image/png"
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // likewise
)

// A Taker is a generator that knows which attachments its provider takes.
type Taker interface {
	// Takes returns the media types, such as image/png or text/*; nil: they are not known.
	Takes(model string) []string
}

// PictureTypes are the media types of pictures that are checked before they are sent.
var PictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// maxConverted is the size of the largest picture that is converted to a type that the
// provider takes, in pixels.
const maxConverted = 16 << 20

// MediaType returns the media type of a blob in lower case, without parameters.
func (b Blob) MediaType() string {
	kind, _, _ := strings.Cut(strings.ToLower(b.MIME), ";")
	return strings.TrimSpace(kind)
}

// takes reports whether a type is among types. Nothing known takes all.
func takes(types []string, kind string) bool {
	if types == nil {
		return true
	}
	for _, t := range types {
		if t == kind || strings.HasSuffix(t, "/*") && strings.HasPrefix(kind, strings.TrimSuffix(t, "*")) {
			return true
		}
	}
	return false
}

// checked returns a blob as its data is: a picture with the type that it has. fault is a
// clause about what makes a picture or a PDF file unreadable; empty: nothing was found.
func checked(b Blob) (_ Blob, fault string) {
	switch kind := b.MediaType(); {
	case kind == "application/pdf":
		if !bytes.Contains(b.Data[:min(len(b.Data), 1024)], []byte("%PDF-")) {
			return b, "it is no PDF file"
		}
	case takes(PictureTypes, kind):
		_, format, err := image.DecodeConfig(bytes.NewReader(b.Data))
		switch {
		case errors.Is(err, image.ErrFormat):
			return b, "it is no picture"
		case err != nil, format == "png" && !bytes.Contains(b.Data, []byte("IEND")):
			return b, "it is damaged or not complete"
		}
		if is := "image/" + format; is != kind {
			b.MIME = is
		}
	}
	return b, ""
}

// fitted returns a blob in a form that a provider of these types takes, or a text in its
// place. It reports false if there is neither.
func fitted(b Blob, types []string) (_ Blob, text string, ok bool) {
	kind := b.MediaType()
	switch {
	case takes(types, kind):
		return b, "", true
	case isText(kind) && utf8.Valid(b.Data):
		return b, string(b.Data), true
	case takes(PictureTypes, kind) && takes(types, "image/png"):
		converted, err := asPNG(b)
		return converted, "", err == nil
	}
	return b, "", false
}

// isText reports whether content of a type is text.
func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+json") ||
		kind == "application/json" || kind == "application/xml" || kind == "application/yaml" || kind == "application/x-yaml"
}

// asPNG returns a picture as a PNG; of an animation it has the first picture.
func asPNG(b Blob) (Blob, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(b.Data))
	if err != nil {
		return b, err
	}
	if c.Width*c.Height > maxConverted {
		return b, errors.New("the picture is too large to convert")
	}
	in, _, err := image.Decode(bytes.NewReader(b.Data))
	if err != nil {
		return b, err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, in); err != nil {
		return b, err
	}
	return Blob{MIME: "image/png", Data: out.Bytes()}, nil
}
