package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

func TestDemo(t *testing.T) {
	tests := []struct {
		name string
		path string
		says []string
	}{
		{"with Go", langservertest.SearchPath(t), []string{"you allow it", "$ go test ./...", "ok ", "All tests pass"}},
		{"without Go", t.TempDir(), []string{"Go is not on PATH", "fee_test.go", "did not run here"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			t.Setenv("PATH", tt.path)
			w.env = append(withoutKeys(w.env), "PATH="+tt.path, "TMPDIR="+temporary)
			r := w.exec("demo")
			r.wantCode(t, 0)
			at := 0
			for _, words := range []string{
				"you ▸ Why do", "still says", "you ▸ Fix it.", "hunk 1 of 2", "you accept it", "hunk 2 of 2", "you reject it", "saves fee.go",
				"-    perHour = 200", "+    perHour = 250", "-    hours := int(stay / time.Hour)", "+    hours := int((stay + time.Hour - 1) / time.Hour)",
			} {
				i := strings.Index(r.stdout[at:], words)
				if i < 0 {
					t.Fatalf("%q is missing or out of order:\n%s\n%s", words, r.stdout, r.stderr)
				}
				at += i
			}
			for _, words := range append(tt.says, "read_file", "grep_search") {
				if !strings.Contains(r.stdout, words) {
					t.Errorf("%q is missing:\n%s", words, r.stdout)
				}
			}
			if strings.Contains(r.stdout, "\x1b") {
				t.Error("there are colours, and no terminal")
			}
			if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
				t.Errorf("files left behind: %v, %v", left, err)
			}
			if len(w.model.Requests()) > 0 {
				t.Error("a real model was asked")
			}
		})
	}
}
