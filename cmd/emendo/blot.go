package main

import (
	"io"
	"strings"
)

// secretNames are the variables whose values may never be written anywhere.
var secretNames = []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}

// shortestSecret is the length, in bytes, from which on a value is taken for a
// secret: blotting out shorter ones would only make text unreadable.
const shortestSecret = 8

// blot gives a writer that leaves the keys of this process out of what is
// written to w.
func (p process) blot(w io.Writer) io.Writer {
	var pairs []string
	for _, name := range secretNames {
		if v := p.env(name); len(v) >= shortestSecret {
			pairs = append(pairs, v, "["+name+"]")
		}
	}
	return blotter{w, strings.NewReplacer(pairs...)}
}

type blotter struct {
	w       io.Writer
	secrets *strings.Replacer
}

// Write implements io.Writer; a key in two writes is not recognized.
func (b blotter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(b.w, b.secrets.Replace(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
