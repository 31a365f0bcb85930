package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hidden replaces what looks like a secret.
const hidden = "[secret]"

// A form matches texts that are secrets in any context. The first group of the
// expression is kept. Every such text contains one of the hints, in lower case.
type form struct {
	hints []string
	text  *regexp.Regexp
}

var forms = sync.OnceValue(func() []form {
	return []form{
		{[]string{"private key"}, regexp.MustCompile(`(?s)()-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`)},
		{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, regexp.MustCompile(`()\bgh[pousr]_[0-9A-Za-z]{36,}`)},
		{[]string{"github_pat_"}, regexp.MustCompile(`()\bgithub_pat_[0-9A-Za-z_]{36,}`)},
		{[]string{"glpat-"}, regexp.MustCompile(`()\bglpat-[0-9A-Za-z_-]{20,}`)},
		{[]string{"aiza"}, regexp.MustCompile(`()\bAIza[0-9A-Za-z_-]{10,}`)},
		{[]string{"ya29."}, regexp.MustCompile(`()\bya29\.[0-9A-Za-z._-]{8,}`)},
		{[]string{"akia", "asia"}, regexp.MustCompile(`()\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
		{[]string{"eyj"}, regexp.MustCompile(`()\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}`)},
		{[]string{"k_live_", "k_test_"}, regexp.MustCompile(`()\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}`)},
		{[]string{"sk-"}, regexp.MustCompile(`()\bsk-(?:(?:ant-|proj-|svcacct-)[0-9A-Za-z_-]{16,}|[0-9A-Za-z]{32,})`)},
		{[]string{"xox"}, regexp.MustCompile(`()\bxox[abeoprs]-[0-9A-Za-z-]{10,}`)},
		{[]string{"hf_"}, regexp.MustCompile(`()\bhf_[0-9A-Za-z]{30,}`)},
		{[]string{"npm_"}, regexp.MustCompile(`()\bnpm_[0-9A-Za-z]{36}`)},
		{[]string{"@"}, regexp.MustCompile(`(?i)(\b[a-z][a-z0-9+.-]*://[^\s/@:"']*:)[^\s/@"']+@`)},
		{[]string{"bearer"}, regexp.MustCompile(`(?i)(\bbearer\s+)[0-9a-z._~+/=-]{8,}`)},
		{[]string{"authorization"}, regexp.MustCompile(`(?i)(\b(?:proxy-)?authorization["']?\s*[:=]\s*\[?["']?)[^\s"',\]]+(?:\s+[^\s"',\]]+)?`)},
		{[]string{"api-key", "cookie"}, regexp.MustCompile(`(?i)(\b(?:x-goog-api-key|x-api-key|api-key|set-cookie|cookie)["']?\s*[:=]\s*\[?["']?)[^\s"',\]]{6,}`)},
		{[]string{"key=", "token=", "auth=", "secret=", "sig=", "signature=", "password="}, regexp.MustCompile(`(?i)([?&](?:api_?key|key|token|access_token|id_token|refresh_token|auth|secret|client_secret|sig|signature|password)=)[^&\s"'<>\[]+`)},
	}
})

// names are parts of the names of variables and members that hold a secret, up to a
// few letters at the end; assigned matches what follows them.
var (
	names    = []string{"api_key", "api-key", "apikey", "secret", "token", "password", "passwd", "passphrase", "credential", "private_key", "privatekey", "access_key", "accesskey"}
	assigned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_]{0,32}["']?\s*[:=]\s*["']?([^` + ends + `]{8,})`)
	})
)

const (
	ends  = "\\s\"'`,;&(){}<>\\[\\]" // characters that end a value, for a character class
	reach = 200                      // bytes after a name that are searched for a value
)

var end = regexp.MustCompile("[" + ends + "]")

// hideLikely removes what looks like a secret.
func hideLikely(s string) string {
	low := lower(s)
	for _, f := range forms() {
		if !slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(low, h) }) {
			continue
		}
		s = f.text.ReplaceAllStringFunc(s, func(found string) string {
			if strings.Contains(found, hidden[:len(hidden)-1]) {
				return found
			}
			end := ""
			if strings.HasSuffix(found, "@") {
				end = "@"
			}
			return f.text.FindStringSubmatch(found)[1] + hidden + end
		})
	}
	for _, name := range names {
		s = hideAssigned(s, name)
	}
	return s
}

// hideAssigned removes values assigned to a name that may be secrets.
func hideAssigned(s, name string) string {
	low := lower(s)
	var b strings.Builder
	kept := 0 // the text before it is in b
	for at := 0; ; {
		i := strings.Index(low[at:], name)
		if i < 0 {
			break
		}
		at += i + len(name)
		near := s[at:min(at+reach, len(s))]
		m := assigned().FindStringSubmatchIndex(near)
		if m == nil || !random(near[m[2]:m[3]]) {
			continue
		}
		b.WriteString(s[kept:at+m[2]] + hidden)
		at += m[3]
		if m[3] == len(near) { // the value continues
			if rest := end.FindStringIndex(s[at:]); rest != nil {
				at += rest[0]
			} else {
				at = len(s)
			}
		}
		kept = at
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// lower returns a text with ASCII letters in lower case, of the same length.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// random reports whether a text looks random and not written by a person: letters
// and digits are mixed, and it is not a number, a path or a call.
func random(s string) bool {
	if strings.ContainsAny(s, "/\\$") || strings.HasPrefix(s, hidden[:4]) {
		return false
	}
	letters, digits, turns := 0, 0, 0
	was := byte(0)
	for i := range len(s) {
		kind := byte('-')
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			kind = '0'
			digits++
		case c >= 'a' && c <= 'z':
			kind = 'a'
			letters++
		case c >= 'A' && c <= 'Z':
			kind = 'A'
			letters++
		}
		if kind != was {
			turns++
		}
		was = kind
	}
	return letters >= 2 && digits >= 2 && turns >= 4
}
