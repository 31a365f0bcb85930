package rewind

import (
	"io/fs"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Content holds the text or bytes of a file. The zero Content means that the file does not exist.
type Content struct {
	Exists bool
	Binary bool   // Text holds the bytes unchanged
	Text   string // decoded
	Format disk.Format
	Mode   fs.FileMode // the permissions; zero where they are not known
}

// Decode returns the content of a file with those bytes.
func Decode(data []byte) Content {
	text, format, err := disk.Decode(data)
	if err != nil {
		return Content{Exists: true, Binary: true, Text: string(data)}
	}
	return Content{Exists: true, Text: text, Format: format}
}

// Bytes returns the content as it is written; nil when the file does not exist.
func (c Content) Bytes() ([]byte, error) {
	switch {
	case !c.Exists:
		return nil, nil
	case c.Binary:
		return []byte(c.Text), nil
	}
	data, err := disk.Encode(c.Text, c.Format)
	if data == nil && err == nil {
		data = []byte{} // an empty file exists
	}
	return data, err
}

// Same reports whether two contents have the same text, however it is encoded.
func (c Content) Same(o Content) bool {
	return c.Exists == o.Exists && c.Binary == o.Binary && c.Text == o.Text
}
