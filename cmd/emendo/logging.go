package main

import (
	"io"
	stdlog "log"
	"log/slog"

	"github.com/emendo-dev/emendo/internal/redact"
)

// sink is a destination for log records from a level on.
type sink struct {
	w     io.Writer
	level slog.Level
}

// logger returns a logger for the sinks, and sends the output of package log to
// them too. Secrets are redacted.
func (p process) logger(sinks ...sink) *slog.Logger {
	var hs []slog.Handler
	for _, s := range sinks {
		hs = append(hs, slog.NewTextHandler(redacted{s.w, p.secrets}, &slog.HandlerOptions{Level: s.level}))
	}
	l := slog.New(slog.NewMultiHandler(hs...))
	stdlog.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelDebug).Writer())
	stdlog.SetFlags(0)
	return l
}

// redacted is a writer of lines that redacts secrets.
type redacted struct {
	w       io.Writer
	secrets *redact.Redactor
}

// Write implements io.Writer for whole lines.
func (r redacted) Write(line []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.secrets.Text(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}
