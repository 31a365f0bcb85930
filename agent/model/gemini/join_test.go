package gemini

import "testing"

func TestEventsJoin(t *testing.T) {
	says := func(text, after string) string { return `{"parts":[{"text":"` + text + `"}]` + after + `}` }
	for _, tt := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"two texts", []string{says("a", ""), says("b", "")}, []string{says("ab", "")}},
		{"with a space, as Google writes", []string{`{"text": "a"}`, `{"text": "b"}`}, []string{`{"text": "ab"}`}},
		{"what is no text", []string{`{"text": 1}`, `{"text": 2}`}, []string{`{"text": 1}`, `{"text": 2}`}},
		{"many, with counts: the last ones hold", []string{says("a", `,"n":1`), says("b", `,"n":22`), says("c", `,"n":3`)}, []string{says("abc", `,"n":3`)}},
		{"quotes and escapes in a text", []string{says(`say \"text\":\"`, ""), says(`\\`, ""), says(`\\\"`, "")}, []string{says(`say \"text\":\"\\\\\"`, "")}},
		{"a character in two halves", []string{says(`\ud83d`, ""), says(`\ude00`, "")}, []string{says(`\ud83d\ude00`, "")}},
		{"an empty text", []string{says("", ""), says("b", "")}, []string{says("b", "")}},
		{"an end", []string{says("a", ""), says("b", `,"finishReason":"STOP"`), says("c", "")}, []string{says("a", ""), says("b", `,"finishReason":"STOP"`), says("c", "")}},
		{"two parts", []string{`[{"text":"a"},{"text":"b"}]`, `[{"text":"a"},{"text":"b"}]`}, []string{`[{"text":"a"},{"text":"b"}]`, `[{"text":"a"},{"text":"b"}]`}},
		{"thoughts", []string{says("a", `,"thought":true`), says("b", `,"thought":true`)}, []string{says("a", `,"thought":true`), says("b", `,"thought":true`)}},
		{"sources", []string{says("a", `,"citationMetadata":1`), says("b", `,"citationMetadata":2`)}, []string{says("a", `,"citationMetadata":1`), says("b", `,"citationMetadata":2`)}},
		{"a call between", []string{says("a", ""), `{"functionCall":{}}`, says("b", "")}, []string{says("a", ""), `{"functionCall":{}}`, says("b", "")}},
		{"what is no JSON", []string{`{"text":"a`, `{"text":"b`}, []string{`{"text":"a`, `{"text":"b`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e events
			want := ""
			for _, data := range tt.events {
				if err := e.feed([]byte("data: " + data + "\r\n\r\n")); err != nil {
					t.Fatal(err)
				}
			}
			for _, data := range tt.want {
				want += "data: " + data + "\n\n"
			}
			if got := string(e.out); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// What has been read is not added to.
func TestEventsJoinOnlyWhatWaits(t *testing.T) {
	var e events
	for range 2 {
		e.out = reuse(e.out)
		if err := e.feed([]byte("data: {\"text\":\"a\"}\n\n")); err != nil {
			t.Fatal(err)
		}
		if got, want := string(e.out), "data: {\"text\":\"a\"}\n\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
