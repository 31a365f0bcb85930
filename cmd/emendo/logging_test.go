package main

import (
	"bytes"
	"log/slog"
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
