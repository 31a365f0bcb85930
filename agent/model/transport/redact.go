package transport

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// maxMessage bounds an error's message, in runes.
const maxMessage = 400

const (
	knownKey = `AIza[0-9A-Za-z_-]{10,}|\bsk-[0-9A-Za-z_-]{10,}`
	bearer   = `(?i)\b(bearer\s+|ya29\.)[0-9A-Za-z._~+/=-]{8,}`
	urlKey   = `(?i)([?&](?:api_?)?key=)[^&\s"']+`
)

// shortestKey is the length, in bytes, from which a key is redacted. A shorter one
// is not secret, and would match in ordinary words.
const shortestKey = 6

// Redact removes keys from a text that may be shown or logged: those of the options,
// and whatever has the form of one.
func (t *Transport) Redact(text string) string {
	if text == "" {
		return ""
	}
	for _, key := range t.o.Keys {
		if len(key) >= shortestKey {
			text = strings.NewReplacer(key, "[key]", url.QueryEscape(key), "[key]").Replace(text)
		}
	}
	text = regexp.MustCompile(knownKey).ReplaceAllString(text, "[key]")
	text = regexp.MustCompile(bearer).ReplaceAllString(text, "[key]")
	return regexp.MustCompile(urlKey).ReplaceAllString(text, "${1}[key]")
}

// Line returns text as the message of an error: on one line, without keys.
func (t *Transport) Line(text string) string { return OneLine(t.Redact(text)) }

// OneLine makes text printable and puts it on one line.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	return strings.TrimRight(shortened(text, maxMessage), ".: ")
}

// shortened returns the beginning of text, of at most limit runes.
func shortened(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit])) + "…"
	}
	return text
}
