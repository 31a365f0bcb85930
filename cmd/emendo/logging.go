package main

import (
	"io"
	stdlog "log"
	"log/slog"

	"github.com/emendo-dev/emendo/internal/redact"
)

// sink is where log records from a level on are written.
type sink struct {
	w     io.Writer
	level slog.Level
}

// logger writes to the sinks and takes in what libraries write through package
// log. Secrets are left out.
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

// redacted leaves secrets out of the lines that are written.
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
