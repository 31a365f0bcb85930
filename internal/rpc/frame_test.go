package rpc_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// A message is read into memory of about its size: one that has room for twice as much was
// copied once more.
func TestMessageTakesTheMemoryThatItNeeds(t *testing.T) {
	for _, n := range []int{100, 1 << 20, 3 << 20} {
		want := strings.Repeat("x", n)
		got, err := rpc.Next(strings.NewReader(frame(rpc.ContentLength, want)))
		if err != nil || string(got) != want {
			t.Fatalf("of %d bytes %d were read: %v", n, len(got), err)
		}
		if cap(got) >= 2*n {
			t.Errorf("a message of %d bytes takes %d", n, cap(got))
		}
	}
}
