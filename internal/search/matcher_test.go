package search

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/ide/disk"
)

// foundLines returns the lines that match, each with its number.
func foundLines(t interface{ Fatal(...any) }, s *Matcher, raw string) []string {
	data, err := s.text("", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	hits, err := s.find(context.Background(), data, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	var l []string
	for _, h := range hits {
		l = append(l, fmt.Sprintf("%d:%s", h.line, data[h.start:h.end]))
	}
	return l
}

func TestMatcher(t *testing.T) {
	cases := []struct {
		name    string
		pattern string
		text    string
		want    []string
	}{
		{"a literal", "two", "one\ntwo\n", []string{"2:two"}},
		{"no end of the last line", "two", "one\ntwo", []string{"2:two"}},
		{"in another case", "TWO", "one\ntwo\n", []string{"2:two"}},
		{"a line once", "o", "foo o\no\n", []string{"1:foo o", "2:o"}},
		{"an end before CRLF", "one$", "one\r\ntwo\r\n", []string{"1:one"}},
		{"a carriage return when asked for", `one\r$`, "one\r\none\n", []string{"1:one\r"}},
		{"an end before a lone CR", "^two$", "one\rtwo\rthree", []string{"2:two"}},
		{"white space stays in its line", `one\s+two`, "one\ntwo\none  two\n", []string{"3:one  two"}},
		{"no phantom line at the end", `^$`, "one\n\ntwo\n", []string{"2:"}},
		{"an empty file has no line", `^`, "", nil},
		{"a negated class stays in its line", `a[^x]b`, "a\nb\n", nil},
		{"invalid UTF-8", `caf. noir`, "ok\ncaf\xe9 noir\n", []string{"2:café noir"}},
		{"a letter of Latin-1", `café`, "ok\ncaf\xe9 noir\n", []string{"2:café noir"}},
		{"words of GBK", `小书`, "# \xb5\xea\xc6\xcc\xc9\xe8\xd6\xc3\nname = \xd0\xa1\xca\xe9\xb5\xea\n", []string{"2:name = 小书店"}},
		{"a sign of Windows", `10 €`, "ok\nprix = 10 \x80\n", []string{"2:prix = 10 €"}},
		{"beside a bad byte", `日本`, "na\xc3\xafve \xff\n\xe6\x97\xa5\xe6\x9c\xac\n", []string{"2:日本"}},
		{"UTF-16 without a mark", `port`, "x\x00\n\x00p\x00o\x00r\x00t\x00", []string{"2:port"}},
		{"a letter of Latin-1 in another case", `CAFÉ`, "ok\ncaf\xe9 noir\n", []string{"2:café noir"}},
		{"UTF-16", `h.i`, "\xff\xfeh\x00\xe9\x00i\x00\n\x00", []string{"1:héi"}},
		{"a byte order mark is not text", `^one`, "\xef\xbb\xbfone\n", []string{"1:one"}},
		{"the kelvin is a k", `kelvin`, "\u212aelvin\n", []string{"1:\u212aelvin"}},
		{"the long s is an s", `pass`, "pa\u017fs\n", []string{"1:pa\u017fs"}},
		{"past column 2000", `needle`, strings.Repeat("x", 3000) + "needle\n", []string{"1:" + strings.Repeat("x", 3000) + "needle"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(c.pattern, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(foundLines(t, s, c.text), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNeedles(t *testing.T) {
	for pattern, want := range map[string]string{
		`needle`:                  "needle",
		`NEEDLE_\w+\d`:            "NEEDLE_",
		`[a-z]+_xyz\d\d`:          "_xyz",
		`(?i)Needle_XYZ`:          "~needle_xyz",
		`(?i)straße nach`:         "~e nach",
		`(?:foo|barr)+x?`:         "foo barr",
		`handler\s+\w+ct\s+mutex`: "handler",
		`(ab){2,3}`:               "ab",
		`(ab)?c*`:                 "",
		`foo|\w`:                  "",
		`.`:                       "",
	} {
		s, err := Compile(pattern, Options{CaseSensitive: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range s.needles {
			text := string(n.text)
			if n.fold {
				text = "~" + text
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// With needles and without, the same lines are found.
func TestNeedlesMissNoMatch(t *testing.T) {
	pieces := []string{"k", "S", "a", "ab", "é", "É", "ß", "\u212a", "\u017f", "_x", "foo", "Bar", "[a-c]", "[^k]", ".", `\w`, `\s`, "^", "$", "|", "(?:", ")", "(?i:", "*", "+", "?", "{2}", "{0,2}", `\b`, `\d`}
	words := []string{"k", "K", "s", "S", "a", "A", "ab", "AB", "é", "É", "ß", "\u212a", "\u017f", "_x", "foo", "FOO", "bar", " ", "\t", "\r", "\r\n", "\n", "\xe9", "\xff", "1"}
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "pattern"), "")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 24).Draw(t, "text"), "")
		exact := rapid.Bool().Draw(t, "case")
		s, err := Compile(pattern, Options{CaseSensitive: exact})
		if err != nil {
			return
		}
		plain := regexp.MustCompile(withCase(pattern, exact))
		var want []string
		for i, line := range plainLines(text) {
			if plain.MatchString(line) {
				want = append(want, fmt.Sprintf("%d:%s", i+1, line))
			}
		}
		if d := cmp.Diff(foundLines(t, s, text), want); d != "" {
			t.Fatalf("%q in %q: %s", pattern, text, d)
		}
	})
}

// plainLines returns the lines of a file's bytes without their ends.
func plainLines(raw string) []string {
	text, _, err := disk.Decode([]byte(raw))
	if err != nil {
		panic(err)
	}
	raw = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	l := strings.Split(raw, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// A needle is found where a plain comparison finds it, whatever the start.
func TestNeedlePlaces(t *testing.T) {
	letters := rapid.SampledFrom([]byte("aAkKzZ_.1"))
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(letters, 0, 40).Draw(t, "data")
		text := rapid.SliceOfN(letters, 1, 3).Draw(t, "text")
		fold := rapid.Bool().Draw(t, "fold")
		plain, sought := data, text
		if fold {
			plain, sought = bytes.ToLower(data), bytes.ToLower(text)
		}
		h := literal([]rune(string(text)), fold).hunt(data)
		for from := 0; from <= len(data); from += rapid.IntRange(1, 5).Draw(t, "step") {
			want := bytes.Index(plain[from:], sought)
			if want >= 0 {
				want += from
			}
			if got := h.next(from); got != want {
				t.Fatalf("%q in %q from %d: got %d, want %d", text, data, from, got, want)
			}
		}
	})
}

func TestMatcherCancelled(t *testing.T) {
	s, err := Compile("x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.find(ctx, []byte("x\n"), 1); err == nil {
		t.Error("the search went on")
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add(`a(b|c)\s$`, "ab \r\nac")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		s, err := Compile(pattern, Options{})
		if err != nil || s.keepCR {
			return
		}
		data, err := s.text("", []byte(text))
		if err != nil {
			return
		}
		if _, err := s.find(t.Context(), data, 100); err != nil {
			t.Fatal(err)
		}
	})
}

var benchmarkHits int

func BenchmarkMatcher(b *testing.B) {
	line := []byte("\tif err := handler.Serve(ctx, request); err != nil { return fmt.Errorf(\"serve %s: %w\", name, err) }\n")
	data := append(bytes.Repeat(line, 100_000), []byte("needle_xyz\n")...)
	for _, pattern := range []string{"needle_xyz", "(?-i)needle_xyz", `[a-z]+_xyz`, `(?-i)handler\s+\w+ct\s+mutex`, `x.z$`, `[m-p]\w{3}\d`} {
		b.Run(pattern, func(b *testing.B) {
			s, err := Compile(pattern, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				text, _ := s.text("", data)
				hits, err := s.find(b.Context(), text, 100)
				if err != nil {
					b.Fatal(err)
				}
				benchmarkHits += len(hits)
			}
		})
	}
}
