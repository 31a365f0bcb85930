package main

import (
	"io"
	stdlog "log"
	"log/slog"
	"strings"
)

// sink is where log records from a level on are written.
type sink struct {
	w     io.Writer
	level slog.Level
}

// logger writes to the sinks and takes in what libraries write through package
// log. Keys are blotted out.
func (p process) logger(sinks ...sink) *slog.Logger {
	var hs []slog.Handler
	for _, s := range sinks {
		hs = append(hs, slog.NewTextHandler(p.blot(s.w), &slog.HandlerOptions{Level: s.level}))
	}
	l := slog.New(slog.NewMultiHandler(hs...))
	stdlog.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelDebug).Writer())
	stdlog.SetFlags(0)
	return l
}

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
