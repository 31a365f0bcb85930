package compact

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

// talk is a conversation of messages of 100 tokens each, a letter each: u for
// the user's words, m for the model's, c for a call, r for its answer. A
// capital is ten times as long.
func talk(letters string) []model.Message {
	var ms []model.Message
	for _, l := range strings.Split(letters, "") {
		text := strings.Repeat("word", 100)
		if l != strings.ToLower(l) {
			text = strings.Repeat("word", 1000)
		}
		var m model.Message
		switch strings.ToLower(l) {
		case "u":
			m = model.Message{Role: model.User, Parts: []model.Part{model.Text{Text: text}}}
		case "m":
			m = model.Message{Role: model.Model, Parts: []model.Part{model.Text{Text: text}}}
		case "c":
			m = model.Message{Role: model.Model, Parts: []model.Part{model.Call{ID: "1", Args: []byte(text)}}}
		case "r":
			m = model.Message{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", Output: text}}}
		}
		ms = append(ms, m)
	}
	return ms
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		talk  string
		share float64
		want  int
	}{
		{"nothing", "", 0.7, 0},
		{"one prompt", "u", 0.7, 0},
		{"a half of five", "umumu", 0.5, 4},
		{"almost all of five", "umumu", 0.9, 4},
		{"a conversation that rests may go as a whole", "umum", 0.8, 4},
		{"one that waits for a tool may not", "umuc", 0.99, 2},
		{"at the first prompt behind enough", "umumumumum", 0.7, 8},
		{"a little of much", "umumumumum", 0.1, 2},
		{"never between a call and its answer", "uCrCrm", 0.2, 3},
		{"between two rounds of one turn", "ucrcrcrcrcr", 0.7, 9},
		{"a turn's last round stays whole, however long", "ucrcR", 0.7, 3},
		{"a turn of one round stays", "ucR", 0.7, 0},
		{"the prompt just given stays", "umucrU", 0.7, 5},
		{"a long answer at the end goes with the rest", "umuM", 0.7, 4},
		{"the round is kept from which on little is left", "UmcrcrcruM", 0.7, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			letters := strings.Split(tt.talk, "")
			if tt.talk == "" {
				letters = nil
			}
			if got := split(talk(strings.Join(letters, "")), tt.share); got != tt.want {
				t.Errorf("at %d, want %d", got, tt.want)
			}
		})
	}
}

func TestPieces(t *testing.T) {
	for _, tt := range []struct {
		name string
		talk string
		room int64
		want string
	}{
		{"all fits", "umcrm", 1000, "umcrm"},
		{"turns", "umumum", 250, "um um um"},
		{"as few as fit", "umumum", 450, "umum um"},
		{"rounds of one turn", "ucrcrcr", 350, "ucr cr cr"},
		{"what cannot be divided is larger", "umuCrcrum", 350, "um uCr cr um"},
		{"no room at all", "umcrum", 1, "umcr um"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			rest := tt.talk
			for _, p := range pieces(talk(tt.talk), tt.room, model.MessagesTokens) {
				got = append(got, rest[:len(p)])
				rest = rest[len(p):]
			}
			if s := strings.Join(got, " "); s != tt.want || rest != "" {
				t.Errorf("got %s and %q, want %s", s, rest, tt.want)
			}
		})
	}
}
