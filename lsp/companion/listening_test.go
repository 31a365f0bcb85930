package companion

import (
	"net/http/httptest"
	"sync"
	"testing"
)

func TestListeningBeginsOnce(t *testing.T) {
	begun := 0
	w := httptest.NewRecorder()
	c := &contexts{dirty: make(chan struct{}, 1)}
	l := listening{w, c, &sync.Once{}}
	for range 3 { // one for each message that is sent
		l.Flush()
		select {
		case <-c.dirty:
			begun++
		default:
		}
	}
	if begun != 1 || !w.Flushed {
		t.Errorf("it began %d times, flushed: %t", begun, w.Flushed)
	}
}
