package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/redact"
)

func TestSecretsAreNotLogged(t *testing.T) {
	var b bytes.Buffer
	p := process{secrets: redact.New(redact.Environment([]string{"GEMINI_API_KEY=the-secret-key", "GOOGLE_API_KEY=short"})...)}
	p.logger(sink{&b, slog.LevelInfo}).Info("using the-secret-key", "url", "https://host/?key=the-secret-key&short", "other", "ya29.another-secret")
	if got := b.String(); strings.Contains(got, "the-secret-key") || strings.Contains(got, "another-secret") || !strings.Contains(got, "[GEMINI_API_KEY]") || !strings.Contains(got, "&short") {
		t.Errorf("logged %s", got)
	}
}

func TestLogIsPrivateAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "lsp.log")
	one, two := newLogFile(path), newLogFile(path) // as two processes have it
	line := bytes.Repeat([]byte("x"), 1<<20)
	for range 12 {
		for _, l := range []*logFile{one, two} {
			if _, err := l.Write(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, l := range []*logFile{one, two} {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all, err := filepath.Glob(path + "*")
	if err != nil || len(all) != 2 {
		t.Errorf("there are %v, %v", all, err)
	}
	for _, name := range all {
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Size() > 2*maxLog || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has %d bytes and mode %v", name, fi.Size(), fi.Mode())
		}
	}
}
