//go:build unix

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/redact"
)

func TestKeysOfAFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		mode os.FileMode
		want map[string]string
		says string
	}{
		{name: "keys", text: "# mine\nGEMINI_API_KEY=one-two-three\n\nexport GOOGLE_API_KEY = 'four-five-six'\n", mode: 0o600, want: map[string]string{"GEMINI_API_KEY": "one-two-three", "GOOGLE_API_KEY": "four-five-six"}},
		{name: "read only", text: "GEMINI_API_KEY=one-two-three", mode: 0o400, want: map[string]string{"GEMINI_API_KEY": "one-two-three"}},
		{name: "nothing", mode: 0o600, want: map[string]string{}},
		{name: "the group can read it", text: "GEMINI_API_KEY=one-two-three", mode: 0o640, says: "mode 0640"},
		{name: "everyone can read it", text: "GEMINI_API_KEY=one-two-three", mode: 0o644, says: "run chmod 600"},
		{name: "everyone can write it", text: "GEMINI_API_KEY=one-two-three", mode: 0o602, says: "mode 0602"},
		{name: "another name", text: "\nGEMINI_KEY=one-two-three", mode: 0o600, says: "keys:2: want NAME=KEY"},
		{name: "a key alone", text: "one-two-three", mode: 0o600, says: "keys:1: want NAME=KEY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keys")
			if err := os.WriteFile(path, []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			secrets := redact.New()
			got, err := KeyFile{path, secrets}.Read()
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Error(diff)
			}
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("the error is %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "one-two-three") {
				t.Errorf("the key is told: %v", err)
			}
			if tt.want["GEMINI_API_KEY"] != "" && secrets.Known("one-two-three") != "[GEMINI_API_KEY]" {
				t.Error("the key is not known to be secret")
			}
		})
	}
	t.Run("a link", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "there"), []byte("GEMINI_API_KEY=one-two-three"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("there", filepath.Join(dir, "keys")); err != nil {
			t.Fatal(err)
		}
		if got, err := (KeyFile{filepath.Join(dir, "keys"), nil}).Read(); err == nil {
			t.Errorf("the keys are %v", got)
		}
	})
	t.Run("no file", func(t *testing.T) {
		if got, err := (KeyFile{filepath.Join(t.TempDir(), "keys"), nil}).Read(); got != nil || err != nil {
			t.Errorf("the keys are %v, %v", got, err)
		}
	})
}
