package darwin

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

var rewrite = flag.Bool("update", false, "rewrite the golden files")

func TestSeatbelt(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"work/.git", "home/go/pkg/mod", "home/.ssh", "temp", "cache", `odd "name"\`} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("work/.env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := profile.Profile{
		Write: []string{at("work"), at(`odd "name"\`)}, Read: []string{at("home/go/pkg/mod")}, Hidden: []string{at("home/.ssh"), at("work/.env")},
		Protected: []string{at("work/.git"), at("work/.vscode")}, Temp: at("temp"), Cache: at("cache"), Home: at("home"),
	}
	open := p
	open.Network.All = true
	for _, tt := range []struct{ name, got string }{
		{"closed", seatbelt(&p, 0)},
		{"hosts", seatbelt(&p, 50123)},
		{"open", seatbelt(&open, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var kept []string
			for line := range strings.Lines(strings.ReplaceAll(tt.got, base, "$BASE")) {
				if !strings.Contains(line, `"/etc/`) { // which secrets this machine has
					kept = append(kept, line)
				}
			}
			got := strings.Join(kept, "")
			file := filepath.Join("testdata", "seatbelt", tt.name+".sb")
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // it is part of the project
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
