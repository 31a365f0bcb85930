package checkpoint

import (
	"io/fs"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Content is what a file holds; the zero Content is that there is none.
type Content struct {
	Exists bool
	Binary bool   // Text is the bytes as they are
	Text   string // decoded
	Format disk.Format
	Mode   fs.FileMode // the permissions, where they are known
}

// Decode is the content of a file of those bytes.
func Decode(data []byte) Content {
	text, format, err := disk.Decode(data)
	if err != nil {
		return Content{Exists: true, Binary: true, Text: string(data)}
	}
	return Content{Exists: true, Text: text, Format: format}
}

// Bytes is the content as it is written; nil when there is none.
func (c Content) Bytes() ([]byte, error) {
	switch {
	case !c.Exists:
		return nil, nil
	case c.Binary:
		return []byte(c.Text), nil
	}
	data, err := disk.Encode(c.Text, c.Format)
	if data == nil && err == nil {
		data = []byte{} // an empty file is one
	}
	return data, err
}

// Same says whether two contents read the same, however they are encoded.
func (c Content) Same(o Content) bool {
	return c.Exists == o.Exists && c.Binary == o.Binary && c.Text == o.Text
}
