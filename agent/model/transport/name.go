package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// IsName reports whether a text has only characters that all providers accept in names of
// functions and IDs of calls: letters, digits, _ and -, at least one and at most longest.
func IsName(text string, longest int) bool {
	return text != "" && len(text) <= longest && !strings.ContainsFunc(text, notInNames)
}

func notInNames(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// Name returns a name of a function in the form that a provider accepts. One that needs a
// change ends in a hash of so many bytes, so that different names stay different.
func Name(name string, longest, bytes int) string {
	if IsName(name, longest) {
		return name
	}
	plain := strings.Map(func(r rune) rune {
		if notInNames(r) {
			return '_'
		}
		return r
	}, name)
	return plain[:min(len(plain), longest-1-2*bytes)] + "_" + Digest(name, bytes)
}

// Digest returns a hash of a text, of so many bytes in hexadecimal.
func Digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}
