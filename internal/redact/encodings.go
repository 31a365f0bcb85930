package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// encodings are the texts in which a value travels.
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

// inJSON is a text as a string of JSON holds it.
func inJSON(v string) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string
	}
	return string(b[1 : len(b)-1])
}

// lowerEscapes writes the digits of a URL's escapes in lower case, as some do.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// inBase64 is what of a value can be told in any text in base 64 that holds it,
// such as that of a name and a password: by where it begins there are three
// ways, each without the characters that share bits with what is around.
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
