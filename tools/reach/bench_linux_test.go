package reach

import (
	"strings"
	"testing"
)

// BenchmarkUnasked measures what is done for a command that nobody allowed, beside its profile,
// in a workspace with 50 folders that have a guarded name.
func BenchmarkUnasked(b *testing.B) {
	folder := b.TempDir()
	p := project{b, folder}
	for i := range 50 {
		p.put("pkg"+strings.Repeat("x", i)+"/AGENTS.md", "pkg"+strings.Repeat("x", i)+"/a.go")
	}
	place := New(Options{Folders: []string{folder}, Temp: b.TempDir(), Cache: b.TempDir()})
	for _, extra := range []Extra{{}, unasked} {
		name := "allowed"
		if extra.Unasked {
			name = "unasked"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				profile := place.Profile(extra)
				w, m := profile.Watch(nil), profile.Meter(Limits{})
				if extra.Unasked && m.Check() != "" {
					b.Fatal("it wrote nothing")
				}
				if _, err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
