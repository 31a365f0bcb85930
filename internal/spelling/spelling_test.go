package spelling_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/spelling"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
		letters    int
	}{
		{"mian.go", []string{"other.go", "main.go"}, "main.go", 2},
		{"Main.go", []string{"main.go"}, "main.go", 0},
		{"main.go", nil, "", 7},
		{strings.Repeat("x", 1000), []string{"x"}, "x", 99},
	} {
		if got, letters := spelling.Nearest(c.name, c.candidates); got != c.want || letters != c.letters {
			t.Errorf("%.20s: got %q, %d; want %q, %d", c.name, got, letters, c.want, c.letters)
		}
	}
}
