package anthropic

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"

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
		if image.MatchString(mediaType(b)) {
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
		if !image.MatchString(mediaType(b)) {
			return ""
		}
		width, height := dimensions(b.Data)
		if base64.StdEncoding.EncodedLen(len(b.Data)) <= maxPicture && max(width, height) <= side {
			return ""
		}
		n++
		size := fmt.Sprintf("%d bytes", len(b.Data))
		if width > 0 {
			size += fmt.Sprintf(", %d by %d pixels", width, height)
		}
		return fmt.Sprintf("[a picture of the type %s is left out: it is too large (%s); the limits are %s]", b.MIME, size, limits)
	})
	if n == 0 {
		return messages, nil
	}
	return out, &model.Unsent{Pictures: n, Why: "the API accepts at most " + limits + "; make a smaller copy"}
}

// dimensions returns the width and the height of a picture in pixels; 0 if they are
// not found.
func dimensions(b []byte) (width, height int) {
	big, little := binary.BigEndian, binary.LittleEndian
	switch {
	case len(b) >= 24 && bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return int(big.Uint32(b[16:])), int(big.Uint32(b[20:]))
	case len(b) >= 10 && bytes.HasPrefix(b, []byte("GIF8")):
		return int(little.Uint16(b[6:])), int(little.Uint16(b[8:]))
	case len(b) >= 30 && bytes.HasPrefix(b, []byte("RIFF")) && string(b[8:12]) == "WEBP":
		switch string(b[12:16]) {
		case "VP8 ": // lossy: 14 bits each, after the frame's tag and start code
			return int(little.Uint16(b[26:]) & 0x3fff), int(little.Uint16(b[28:]) & 0x3fff)
		case "VP8L": // lossless: 14 bits each, less one, after a signature byte
			bits := little.Uint32(b[21:])
			return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
		case "VP8X": // extended: 24 bits each, less one
			return int(little.Uint32(b[24:])&0xffffff) + 1, int(little.Uint32(b[26:])>>8) + 1
		}
	case bytes.HasPrefix(b, []byte("\xff\xd8")):
		return jpegDimensions(b[2:])
	}
	return 0, 0
}

// jpegDimensions finds the frame header among the segments of a JPEG.
func jpegDimensions(b []byte) (width, height int) {
	for len(b) >= 9 && b[0] == 0xff {
		kind, size := b[1], int(binary.BigEndian.Uint16(b[2:]))
		switch {
		case kind == 0xff: // padding
			b = b[1:]
			continue
		case kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc:
			return int(binary.BigEndian.Uint16(b[7:])), int(binary.BigEndian.Uint16(b[5:]))
		case size+2 > len(b):
			return 0, 0
		}
		b = b[2+size:]
	}
	return 0, 0
}
