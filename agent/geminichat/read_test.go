package geminichat_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/geminichat"
)

func TestFileIsRead(t *testing.T) {
	tests := []struct {
		file string
		want []string
	}{
		{"editor.jsonl", []string{
			"0b0cbb6e-5a44-4d0e-9d53-0a3d6d1f7a11, summed up as Read the notes and ran the tests, 10 messages",
			"i1 info Update available", "u0 user <session_context>\nToday is Monday.\n</session_context>", "u1 user What is in notes.txt?",
			"g1 gemini  calls read_file-1 shell-2 read_file-3", "u2 user  answers read_file-1", "g2 gemini It holds a line.",
			"u3 user Run the tests, and read it again.", "u4 user  answers shell-2 read_file-3", "g3 gemini The tests fail.",
			"g1_response user  answers read_file-1 shell-2",
		}},
		{"rewound.jsonl", []string{
			"rewound, summed up as , 6 messages",
			"u1 user Keep this.", "g1 gemini Kept. calls a", "u2 user  answers a", "u5 user Go on.", "g2 gemini Looking. calls glob-1", "u6 user (in a hurry) answers glob-1",
		}},
		{"old.json", []string{
			"old/session:1, summed up as , 5 messages",
			"1 user /help", "2 user Count the lines.", "3 gemini I count them. calls c1 c2 c3", "4 error network", "5 user And?",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			c, err := geminichat.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(lines(c), "\n"), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestUnknownRewindDropsEverything(t *testing.T) {
	c, err := geminichat.Read([]byte(`{"sessionId":"s"}
{"id":"u1","type":"user","content":"hello"}
{"$rewindTo":"u9"}`))
	if err != nil || len(c.Messages) != 0 {
		t.Errorf("got %v, %v", c.Messages, err)
	}
}

func TestRewoundAnswerTakesItsCallAlong(t *testing.T) {
	c, err := geminichat.Read([]byte(`{"sessionId":"s"}
{"id":"g1","type":"gemini","content":"","toolCalls":[{"id":"a","name":"glob","status":"success"},{"id":"b","name":"glob","status":"success"}]}
{"id":"u1","type":"user","content":[{"functionResponse":{"id":"a","name":"glob","response":{}}}]}
{"id":"u2","type":"user","content":[{"functionResponse":{"id":"b","name":"glob","response":{}}}]}
{"$rewindTo":"u2"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines(c)[1:], "; "); got != "g1 gemini  calls a; u1 user  answers a" {
		t.Errorf("got %s", got)
	}
}

func TestOtherFilesAreNotChats(t *testing.T) {
	for _, text := range []string{"", "\n\n", "hello", "[]", "{}", `{"messages":[]}`, "\x00\xff"} {
		if c, err := geminichat.Read([]byte(text)); !errors.Is(err, geminichat.ErrNoChat) {
			t.Errorf("%q: got %+v, %v", text, c, err)
		}
	}
}

func TestALongChatIsReadAtOnce(t *testing.T) {
	var file strings.Builder
	file.WriteString(`{"sessionId":"s"}` + "\n")
	const n = 20_000
	for i := range n {
		for range 3 { // it is rewritten by each call that ends
			fmt.Fprintf(&file, `{"id":"message-%d","type":"user","content":"hi"}`+"\n", i)
		}
	}
	begun := time.Now()
	c, err := geminichat.Read([]byte(file.String()))
	if err != nil || len(c.Messages) != n {
		t.Errorf("%d messages, %v", len(c.Messages), err)
	}
	if took := time.Since(begun); took > 20*time.Second { // minutes with the race detector, when each is looked for among all
		t.Errorf("took %v", took)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"editor.jsonl", "rewound.jsonl", "old.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = geminichat.Read(b) // it does not panic
	})
}

// lines tell a chat, one message a line.
func lines(c geminichat.Chat) []string {
	all := []string{fmt.Sprintf("%s, summed up as %s, %d messages", c.SessionID, c.Summary, len(c.Messages))}
	for _, m := range c.Messages {
		line := m.ID + " " + m.Type + " " + m.Content.Text()
		var calls, answers string
		for _, p := range m.Content {
			if p.FunctionCall != nil {
				calls += " " + p.FunctionCall.ID
			}
			if p.FunctionResponse != nil {
				answers += " " + p.FunctionResponse.ID
			}
		}
		for _, x := range m.ToolCalls {
			calls += " " + x.ID
		}
		if calls != "" {
			line += " calls" + calls
		}
		if answers != "" {
			line += " answers" + answers
		}
		all = append(all, line)
	}
	return all
}
