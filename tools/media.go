package tools

import (
	"bytes"
	"net/http"
	"path"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
)

// media is the type of a file that a model may be shown as it is, an image, a
// PDF, audio or video, and empty for any other. What is text stays text,
// whatever its name is: a pointer left by Git LFS is no image.
func media(name string, data []byte) string {
	ext := strings.ToLower(path.Ext(name))
	if ext == ".pdf" && bytes.HasPrefix(data, []byte("%PDF-")) {
		return "application/pdf"
	}
	if _, _, err := disk.Decode(data); err == nil {
		return ""
	}
	switch t := http.DetectContentType(data); {
	case t == "application/pdf":
		return t
	case t == "application/ogg":
		return "audio/ogg"
	case t == "audio/wave":
		return "audio/wav"
	case t == "image/x-icon":
		return ""
	case strings.HasPrefix(t, "image/"), strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"):
		return t
	}
	return mediaTypes[ext]
}

// mediaTypes are those that net/http does not know by their first bytes.
var mediaTypes = map[string]string{
	".heic": "image/heic",
	".heif": "image/heif",
	".avif": "image/avif",
	".mp3":  "audio/mpeg",
	".aac":  "audio/aac",
	".flac": "audio/flac",
	".m4a":  "audio/mp4",
	".mov":  "video/quicktime",
	".mpg":  "video/mpeg",
	".mpeg": "video/mpeg",
}
