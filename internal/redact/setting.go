package redact

import "strings"

// Setting returns the value of a variable or a header for the user who is asked about
// it, and whether a secret was taken out of it: the whole value, which is then empty, or
// a part. A value that only refers to a variable is shown, and so is one that can be
// more than a secret, such as options of a program, whatever its name is.
func Setting(name, value string) (shown string, secret bool) {
	plain := strings.ReplaceAll(strings.ToUpper(name), "-", "_")
	hides := secretName(plain) || plain == "AUTHORIZATION" || plain == "COOKIE" || strings.HasSuffix(plain, "_AUTHORIZATION")
	word := value
	if scheme, rest, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
		word = rest
	}
	if hides && word != "" && !strings.ContainsAny(word, " \t\r\n$%") && !strings.ContainsAny(word[:1], "-./~") && !strings.Contains(word, ":") {
		return "", true
	}
	shown = hideLikely(value)
	return shown, shown != value
}
