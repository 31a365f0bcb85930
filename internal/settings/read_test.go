package settings

import (
	"slices"
	"testing"
)

// Whatever a file holds, reading it ends, and every mistake has a place in it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "{}", "{,}", "\xef\xbb\xbf{\"model\": {\"name\": \"x\",}} // c", `{"tools": {"exclude": ["a", null]}, "tools.exclude": 1}`,
		`{"model": null, "modell": {"name": 1}, "security": []}`, "{\"a\": \"\xff\"}", "/* ", `{"\u0000": {}}`, "{\"model\": {\"name\":\n17}}", `{"contextFileName": ["$X", "${Y:-z}"], "context.fileName": 1, "fileFiltering": {"respectGitIgnore": 2}}`,
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, project bool) {
		r, broken := read(text, project, func(name string) string { return name })
		mistakes := slices.Concat(r.unknown, r.kept, r.bad, r.old)
		if broken != nil {
			mistakes = append(mistakes, *broken)
		}
		for _, m := range mistakes {
			if m.offset < 0 || m.offset > len(text) || m.what == "" {
				t.Errorf("mistake out of place: %+v", m)
			}
			if line, column := position(text, m.offset); line < 1 || column < 1 {
				t.Errorf("mistake at %d:%d", line, column)
			}
		}
		var s Settings
		for _, found := range r.found {
			found.setting.assign(&s, found.value)
		}
	})
}
