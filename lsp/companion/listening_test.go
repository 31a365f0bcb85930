package companion

import (
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/lsp/client"
)

func TestListeningBeginsOnce(t *testing.T) {
	begun := 0
	w := httptest.NewRecorder()
	moved := client.NewSignal()
	l := listening{w, moved, &sync.Once{}}
	for range 3 { // one for each message that is sent
		l.Flush()
		select {
		case <-moved:
			begun++
		default:
		}
	}
	if begun != 1 || !w.Flushed {
		t.Errorf("it began %d times, flushed: %t", begun, w.Flushed)
	}
}
