package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updateGolden = flag.Bool("update-golden", false, "write what the golden sessions are exported as")

// The golden sessions are those of TestGoldenSessions in package agent. Their export
// must not change, unless the export format is changed on purpose.
func TestGoldenSessionsAreExported(t *testing.T) {
	logs, err := filepath.Glob("../../agent/testdata/golden/session-*.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatalf("no golden sessions: %v", err)
	}
	w := newWorld(t)
	w.env = append(w.env, "TZ=UTC")
	for _, path := range logs {
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		id := goldenID(t, stored)
		log := filepath.Join(w.home, "state", "sessions", "0123456789abcdef", "20000101T000000Z-"+id+".jsonl")
		w.put(log, strings.ReplaceAll(string(stored), "@WORK@", w.dir))
		for format, suffix := range map[string]string{"markdown": ".md", "json": ".json"} {
			t.Run(name+suffix, func(t *testing.T) {
				got, err := w.start(t.Context(), "sessions", "export", "--format", format, id).Output()
				if err != nil {
					t.Fatal(err)
				}
				got = bytes.ReplaceAll(got, []byte(w.dir), []byte("@WORK@"))
				golden := filepath.Join("testdata", "export", name+suffix)
				if *updateGolden {
					if err := os.WriteFile(golden, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("exported as\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// goldenID returns the ID of a stored session, which its first record names.
func goldenID(t *testing.T, stored []byte) string {
	t.Helper()
	_, after, _ := bytes.Cut(stored, []byte(`"sessionId":"`))
	id, _, ok := bytes.Cut(after, []byte(`"`))
	if !ok {
		t.Fatal("the first record has no session ID")
	}
	return string(id)
}
