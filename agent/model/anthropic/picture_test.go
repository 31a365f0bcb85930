package anthropic_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
)

// picture returns a picture of a type and a size.
func picture(t *testing.T, kind string, width, height int) model.Blob {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch in := image.NewGray(image.Rect(0, 0, width, height)); kind {
	case "png":
		err = png.Encode(&b, in)
	case "jpeg":
		err = jpeg.Encode(&b, in, nil)
	case "gif":
		err = gif.Encode(&b, in, &gif.Options{NumColors: 2})
	}
	if err != nil {
		t.Fatal(err)
	}
	return model.Blob{MIME: "image/" + kind, Data: b.Bytes()}
}

// webp returns the beginning of a picture that is 9001 pixels wide and 2 high.
func webp(form, data string) model.Blob {
	size := func(text string) string {
		return string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	return model.Blob{MIME: "image/webp", Data: []byte("RIFF" + size("WEBP"+form+size(data)))}
}

func TestPicturesThatTheAPIRefusesBecomeNotes(t *testing.T) {
	many := func(side int) (parts []model.Part) {
		for range 21 {
			parts = append(parts, picture(t, "png", 1, side))
		}
		return parts
	}
	for _, tt := range []struct {
		name   string
		parts  []model.Part
		unsent int
		note   string
	}{
		{"as large as the API accepts", []model.Part{picture(t, "png", 8000, 1), picture(t, "jpeg", 1, 8000), picture(t, "gif", 8000, 2)}, 0, ""},
		{"a PNG that is too wide", []model.Part{picture(t, "png", 8001, 3)}, 1, "8001 by 3 pixels); the limits are 5 MB in base64 and 8000 pixels a side]"},
		{"a JPEG that is too high", []model.Part{picture(t, "jpeg", 3, 8001)}, 1, "3 by 8001 pixels"},
		{"a GIF that is too wide", []model.Part{picture(t, "gif", 8001, 3)}, 1, "8001 by 3 pixels"},
		{"a lossy WebP", []model.Part{webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x29\x23\x02\x00")}, 1, "9001 by 2 pixels"},
		{"a lossless WebP", []model.Part{webp("VP8L", "\x2f\x28\x63\x00\x00")}, 1, "9001 by 2 pixels"},
		{"an extended WebP", []model.Part{webp("VP8X", "\x00\x00\x00\x00\x28\x23\x00\x01\x00\x00")}, 1, "9001 by 2 pixels"},
		{"4 MB, which are more in base64", []model.Part{model.Blob{MIME: "image/png", Data: make([]byte, 4<<20)}}, 1, "(4194304 bytes)"},
		{"2 MB of what is no picture", []model.Part{model.Blob{MIME: "image/png", Data: make([]byte, 2<<20)}}, 0, ""},
		{"many pictures", many(2000), 0, ""},
		{"many pictures that are too high", many(2001), 21, "1 by 2001 pixels); the limits are 5 MB in base64 and 2000 pixels a side]"},
		{"a damaged JPEG", []model.Part{model.Blob{MIME: "image/jpeg", Data: []byte("\xff\xd8\xff\xe0\xff\xff12345")}}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.New(t, anthropictest.Say("ok"))
			g := client(t, s, nil)
			var told model.Unsent
			for c, err := range g.Stream(t.Context(), model.Request{Model: adaptive, Messages: []model.Message{says(tt.parts...)}}) {
				if err != nil {
					t.Fatal(err)
				}
				if c.Unsent != nil {
					told = *c.Unsent
				}
			}
			if told.Pictures != tt.unsent || (told.Why != "") != (tt.unsent > 0) {
				t.Errorf("the user is told of %+v", told)
			}
			if said := s.Requests()[0].Said(); !strings.Contains(said, tt.note) || (said == "") != (tt.note == "") {
				t.Errorf("the model is told %q", fmt.Sprintf("%.300s", said))
			}
		})
	}
}
