package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// encodings returns a value in all encodings in which it may appear.
func encodings(v string) []string {
	q := strconv.Quote(v)
	digits := hex.EncodeToString([]byte(v))
	l := []string{v, q[1 : len(q)-1], digits, strings.ToUpper(digits)}
	for _, escaped := range []string{url.QueryEscape(v), url.PathEscape(v)} {
		l = append(l, escaped, lowerEscapes(escaped))
	}
	once := inJSON(v)
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(once)
	l = append(l, once, inJSON(once), plain, strings.ReplaceAll(plain, "/", `\/`))
	return append(l, inBase64(v)...)
}

// inJSON returns the content of the JSON string for a text.
func inJSON(v string) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string
	}
	return string(b[1 : len(b)-1])
}

// lowerEscapes writes the hex digits of a URL's escapes in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// inBase64 returns the parts of a value that any base64 text with it contains, such
// as that of a name and a password. There is one for each offset modulo three,
// without the characters that share bits with the surrounding bytes.
func inBase64(v string) []string {
	var l []string
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before, shared := range []int{0, 2, 3} {
			text := e.EncodeToString([]byte(strings.Repeat("\x00", before) + v))
			if core := text[shared : (before+len(v))*8/6]; len(core) >= Shortest {
				l = append(l, core)
			}
		}
	}
	return l
}
