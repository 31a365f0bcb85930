package anthropic

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// What the API accepts of pictures.
const (
	maxPicture = 5 << 20 // bytes in base64
	maxSide    = 8000    // pixels
	manyLimit  = 20      // pictures in a request; if it has more, they must be smaller
	maxOfMany  = 2000    // pixels
)

// fitting returns messages with notes in the place of pictures that the API would
// refuse the request for. It also returns what the user has to know of them, or nil.
func fitting(messages []model.Message) ([]model.Message, *model.Unsent) {
	pictures := 0
	for b := range model.Blobs(messages) {
		if slices.Contains(model.PictureTypes, b.MediaType()) {
			pictures++
		}
	}
	if pictures == 0 {
		return messages, nil
	}
	side := maxSide
	if pictures > manyLimit {
		side = maxOfMany
	}
	limits := fmt.Sprintf("%d MB in base64 and %d pixels a side", maxPicture>>20, side)
	n := 0
	out := model.WithoutBlobs(messages, func(b model.Blob) string {
		if !slices.Contains(model.PictureTypes, b.MediaType()) {
			return ""
		}
		about, _, err := image.DecodeConfig(bytes.NewReader(b.Data)) // package model registers the formats
		if base64.StdEncoding.EncodedLen(len(b.Data)) <= maxPicture && (err != nil || max(about.Width, about.Height) <= side) {
			return ""
		}
		n++
		size := fmt.Sprintf("%d bytes", len(b.Data))
		if err == nil {
			size += fmt.Sprintf(", %d by %d pixels", about.Width, about.Height)
		}
		return fmt.Sprintf("[a picture of the type %s is left out: it is too large (%s); the limits are %s]", b.MIME, size, limits)
	})
	if n == 0 {
		return messages, nil
	}
	return out, &model.Unsent{Pictures: n, Why: "the API accepts at most " + limits + "; make a smaller copy"}
}
