package terminal

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected output")

// What programs wrote to a terminal of 120 columns that knows colours and moves
// looks as it was left there.
func TestRecordedOutput(t *testing.T) {
	names, err := filepath.Glob("testdata/recorded/*.bytes")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no recordings", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := render(string(b))
			file := strings.TrimSuffix(name, ".bytes") + ".txt"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || got != string(want) {
				t.Errorf("got\n%s\nwant\n%s%v", got, want, err)
			}
			if pieces := render(bytewise(string(b))...); pieces != got {
				t.Errorf("byte by byte it is\n%s", pieces)
			}
		})
	}
}
