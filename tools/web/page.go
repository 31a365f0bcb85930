package web

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// A page is a response as the model reads it: text, or a blob.
type page struct {
	text  string
	cut   bool // text is only the beginning
	blob  *tools.Blob
	title string
	kind  string // its media type
}

// read returns what a response says. Its declared type decides how text is read,
// and its bytes decide whether it is text.
func read(r response) (page, error) {
	declared, _, err := mime.ParseMediaType(r.contentType)
	if err != nil {
		declared = ""
	}
	found, _, _ := mime.ParseMediaType(http.DetectContentType(r.body))
	switch found {
	case "application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif":
		return page{blob: &tools.Blob{MIME: found, Data: r.body}, kind: found}, nil
	}
	text, ok := decode(r.body, r.contentType)
	if !ok {
		kind := found
		if kind == "application/octet-stream" && declared != "" {
			kind = declared
		}
		return page{}, fmt.Errorf("is %s, %d bytes, which web_fetch cannot read", visible.Short(tools.Shown(kind), 80), len(r.body))
	}
	p := page{text: text, kind: declared}
	if declared == "" || declared == "application/octet-stream" {
		p.kind = found
	}
	if p.kind == "text/html" || p.kind == "application/xhtml+xml" {
		p = markdown(text, r.url)
	}
	return p, nil
}

// decode returns bytes as text, without what is not; false if they are not text.
// The encoding is the one that the bytes show to be right, and else the declared
// one: servers declare encodings that their files do not have.
func decode(b []byte, contentType string) (string, bool) {
	unmarked := !bytes.HasPrefix(b, []byte("\xff\xfe")) && !bytes.HasPrefix(b, []byte("\xfe\xff"))
	if unmarked && utf8.Valid(b) && !ascii(b) {
		return plain(string(bytes.TrimPrefix(b, []byte("\ufeff"))))
	}
	e, name, _ := charset.DetermineEncoding(b[:min(len(b), 1024)], contentType)
	if name == "utf-8" && unmarked && !multibyte(b) {
		e, _ = charset.Lookup("windows-1252")
	}
	text, err := io.ReadAll(e.NewDecoder().Reader(bytes.NewReader(b)))
	if err != nil {
		return "", false
	}
	return plain(strings.TrimPrefix(strings.ToValidUTF8(string(text), "\uFFFD"), "\ufeff"))
}

func ascii(b []byte) bool {
	return bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// multibyte reports whether b has a character of UTF-8 that is not ASCII.
func multibyte(b []byte) bool {
	return bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError }) >= 0
}

// plain returns a text with line ends as in Unix and without control characters;
// false if it has so many, or a NUL, that it is not text.
func plain(s string) (string, bool) {
	controls, binary := 0, strings.Contains(s, "\x00")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if r == 0x7f || r < ' ' && r != '\n' && r != '\t' && r != '\r' && r != '\f' {
			controls++
			return -1
		}
		return r
	}, s)
	return s, !binary && controls*50 <= len(s)+50
}
