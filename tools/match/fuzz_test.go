package match

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// FuzzFind checks that nothing panics, edits are in order and inside the text, and a
// refusal has a reason.
func FuzzFind(f *testing.F) {
	f.Add("a\n\tb\r\nc", "b", "x", false)
	f.Add(goFile, "    if n > 10 {\n\n", "```\nx\n```", true)
	f.Add(goFile, "12: \treturn n\n13: }", "12: \treturn m\n", false)
	f.Add("f(\"a\\n\")", `f(\"a\\n\")`, `f(\"b\\n\")`, true)
	f.Add("a &lt; b\rc", "a < b\n", "\u201cx\u201d", false)
	f.Add("caf\u00e9\u00a0x\n", "cafe\u0301 x\n", "\u2014", false)
	f.Add("\xff\xfe\x00", "\xff", "\n...\n", true)
	f.Add("warehouses(total)\n", "warehuoses(total)\n", "", false)
	f.Fuzz(func(t *testing.T, text, old, new string, multiple bool) {
		found, err := Find(text, old, new, multiple)
		var r *Refusal
		if errors.As(err, &r) {
			if r.Reason == "" || found.Edits != nil {
				t.Fatalf("refusal %#v with edits %v", r, found.Edits)
			}
			return
		}
		if err != nil || len(found.Edits) == 0 {
			t.Fatalf("no edit, no refusal: %v", err)
		}
		at := 0
		for _, e := range found.Edits {
			if e.A < at || e.B < e.A || e.B > len(text) {
				t.Fatalf("edit %v of a text of %d bytes, after %d", e, len(text), at)
			}
			at = e.B
		}
		if found.Apply(text) == text {
			t.Fatal("an edit that changes nothing")
		}
	})
}

// TestFindIsBounded runs expensive cases: each takes seconds even with the race
// detector, where quadratic time would take minutes.
func TestFindIsBounded(t *testing.T) {
	var code, numbers strings.Builder
	for i := range 30_000 {
		code.WriteString("\tif value[" + strings.Repeat("x", i%7) + "] == other {\n")
		numbers.WriteString("same_identifier = same_identifier\n")
	}
	same := numbers.String()
	old := strings.Repeat("same_identifier = same_identifier\n", 1999) + "different_identifier\n"
	slip := strings.Repeat("same_identifire = same_identifire\n", 1999) + "different_identifier\n"
	unlike := strings.Repeat("another text altogether\n", 2000)
	var long strings.Builder
	for i := range 2000 {
		long.WriteString(strings.Repeat("ab", i%11) + " := c\n")
	}
	tests := []struct{ name, text, old, new string }{
		{"a passage that begins everywhere", same, old, "x"},
		{"a misspelled passage that begins everywhere", same, slip, "x"},
		{"a passage that stands nowhere", code.String(), unlike, "x"},
		{"two thousand lines that all change", long.String() + code.String(), strings.ReplaceAll(long.String(), "\n", " \n"), unlike + long.String()},
		{"one long line", strings.Repeat("a b ", 1<<16), strings.Repeat("a  b ", 1<<15) + "c", "x"},
		{"one long line that changes", strings.Repeat("a b ", 1<<14) + "\n", " " + strings.Repeat("a b ", 1<<14), strings.Repeat("c a ", 1<<14)},
		{"only brackets", strings.Repeat("}\n", 1<<17), strings.Repeat("}\n", 1000) + "{", "x"},
		{"only escapes", strings.Repeat(`\\`, 1<<16), strings.Repeat(`\"`, 1<<15), "x"},
		{"elisions", strings.Repeat("...\n", 1<<15), "a", strings.Repeat("// ...\n", 1<<10)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			found, err := Find(tt.text, tt.old, tt.new, false)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			} else {
				t.Logf("%v, %d edits, refused %v", took, len(found.Edits), err != nil)
			}
			var r *Refusal
			if errors.As(err, &r) && len(r.Error()) > 16<<10 {
				t.Errorf("a refusal of %d bytes", len(r.Error()))
			}
		})
	}
}
