package transcript

import "testing"

// A later piece of a thought that begins with a subject is another thought; one
// that has bold words in it goes on with the first.
func TestPiecesOfThoughts(t *testing.T) {
	for _, tt := range []struct {
		piece string
		want  bool
	}{
		{"**Planning**\n\nRound them up.", true},
		{"\n\n**Planning**\n\nRound them up.", true},
		{"**Planning**", true},
		{"**never** round down", false},
		{"it is **never** so", false},
		{" plain", false},
		{"**half of a subject", false},
		{"**a\nb**\n", false},
		{"****\n", false},
	} {
		if got := Headed(tt.piece); got != tt.want {
			t.Errorf("headed(%q) = %t, want %t", tt.piece, got, tt.want)
		}
	}
}
