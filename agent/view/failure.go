package view

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/view/phrase"
)

// Failure is a request that failed.
type Failure struct {
	// Code is the error's: docs/protocol.md lists them. "invalid" stands for bad params,
	// "internal" for a mistake of emendo's.
	Code       string
	Kind       string // of the provider's error
	Message    string // of the error, for people who read logs
	RetryAfter time.Duration
}

// kindOf are the codes of texts of failures of a provider by the kind of its error.
var kindOf = map[string]string{
	"not_found": "provider_not_found",
	"invalid":   "provider_invalid",
	"blocked":   "provider_blocked",
	"no_access": "no_access",
}

// Describe returns what the user reads of a request that failed, and what helps.
func (f Failure) Describe() (Text, []Action) {
	code := f.Code
	if of := kindOf[f.Kind]; of != "" {
		code = of
	}
	why := strings.TrimPrefix(f.Message, "model request: ")
	switch code {
	case "auth_required", "no_access":
		why, _, _ = strings.Cut(why, ". Run `emendo auth login`") // it goes on with every way to sign in
	case "rate_limited":
		if f.RetryAfter > 0 {
			return say("error.rate_limited_until", "why", why, "ms", f.RetryAfter.Milliseconds()), Remedies(code)
		}
	case "failed", "invalid", "untrusted_workspace", "edit_conflict", "denied_by_policy", "tls_untrusted", "invalid_response":
		why = sentence(why)
	}
	if phrase.English("error."+code) == "" {
		code, why = "failed", sentence(why)
	}
	return say("error."+code, "why", why), Remedies(code)
}

// sentence returns a message with a capital letter, unless it begins with a name.
func sentence(s string) string {
	word, _, _ := strings.Cut(s, " ")
	first, size := utf8.DecodeRuneInString(s)
	if strings.ContainsAny(word, `./\"_:`) || word == "emendo" || strings.IndexFunc(word[min(size, len(word)):], unicode.IsUpper) >= 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
