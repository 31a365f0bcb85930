package linux

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// Events are lost where much happens in a folder. Then the files tell whether one of them was
// replaced; a command that left them alone runs on.
func TestLostEventsEndOnlyCommandsWhoseFilesWereReplaced(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if replaced {
			want = path
			if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".lock", path); err != nil {
				t.Fatal(err)
			}
		}
		events := &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}
		r := &fileWatch{events: events, files: map[string]os.FileInfo{path: before}}
		got := make(chan string, 1)
		go func() { got <- r.replaced() }()
		events.Errors <- fsnotify.ErrEventOverflow
		close(events.Events)
		if g := <-got; g != want {
			t.Errorf("replaced %v: got %q, want %q", replaced, g, want)
		}
	}
}
