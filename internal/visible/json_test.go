package visible

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
)

// JSON is the same value afterwards, and has no character that a terminal obeys.
func TestJSONIsEscapedAndTheSame(t *testing.T) {
	for _, text := range []string{"plain ä 😀 日本", "\u0085\u009b31m", "a\u202eb\u2066c", "\U000e0041", "\x7f\x1b[31m", "tab\tand\nline", "a\u200db", "<&>"} {
		var b bytes.Buffer
		e := json.NewEncoder(JSON(&b))
		e.SetEscapeHTML(false)
		e.SetIndent("", "\t")
		if err := e.Encode(map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q: %q has %U", text, b.String(), r)
			}
		}
		var got map[string]string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil || got["text"] != text {
			t.Errorf("%q became %q, %v", text, got["text"], err)
		}
	}
}
