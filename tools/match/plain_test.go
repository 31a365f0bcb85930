package match

import "testing"

// TestPlainQuotesOfTypographicText quotes files whose quotes, dashes, dots and emoji
// the model wrote plainly. What it did not change keeps the file's characters.
func TestPlainQuotesOfTypographicText(t *testing.T) {
	for _, tt := range []struct{ name, text, old, new, want string }{
		{"an ellipsis in a line", "# One\n\nWait \u2026 then  go.\nEnd\n", "Wait ... then go.", "Wait ... then stop.", "# One\n\nWait \u2026 then  stop.\nEnd\n"},
		{"an ellipsis in a part of a line", "a: 'Loading\u2026' # now\n", "'Loading...'", "'Loading data...'", "a: 'Loading data\u2026' # now\n"},
		{"an ellipsis in new text stays as the model has it", "a\u2026\nb\n", "a...\nb", "a...\nc...", "a\u2026\nc...\n"},
		{"three dots where the model wrote an ellipsis", "a...\nb\n", "a\u2026\nb", "a\u2026\nc\u2026", "a...\nc...\n"},
		{"part of an ellipsis is none", "x\u2026y\n", ".y", ".z", "refused"},
		{"two hyphens for a long dash", "He came\u2014and  went.\nEnd\n", "He came--and went.", "He came--and stayed.", "He came\u2014and  stayed.\nEnd\n"},
		{"two hyphens for a long dash in a part of a line", "x: He came \u2014 and went.\n", "came -- and", "left -- and", "x: He left \u2014 and went.\n"},
		{"a hyphen for a dash, and quotes", "See \u201cone\u201d, pages 3\u20135, it\u2019s  short.\n", "See \"one\", pages 3-5, it's short.", "See \"one\", pages 3-5, it's long.", "See \u201cone\u201d, pages 3\u20135, it\u2019s  long.\n"},
		{"a dropped variation selector", "## \u26a0\ufe0f Beware\n\n- \u2714\ufe0f  done\n", "## \u26a0 Beware\n\n- \u2714 done", "## \u26a0 Beware\n\n- \u2714 finished", "## \u26a0\ufe0f Beware\n\n- \u2714\ufe0f  finished\n"},
		{"a dropped variation selector in a part of a line", "x = '\u2764\ufe0f love'\n", "'\u2764 love'", "'\u2764 hate'", "x = '\u2764\ufe0f hate'\n"},
	} {
		got := "refused"
		if f, err := Find(tt.text, tt.old, tt.new, false); err == nil {
			got = f.Apply(tt.text)
		}
		if got != tt.want {
			t.Errorf("%s: got  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}
