package rewind

import (
	"strings"
	"testing"
)

// The reason of a conflict is shown in one line, also where neither content can be read.
func TestContentsThatCannotBeReadAreOneReason(t *testing.T) {
	j := NewStore(t.TempDir(), Git{}).Journal("s")
	was, is := Hash([]byte("was")), Hash([]byte("is"))
	_, _, err := j.contents(State{Hash: was}, State{Hash: is})
	if err == nil || !strings.Contains(err.Error(), was[2:]) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}
