package companion

import (
	"net/http/httptest"
	"testing"
)

func TestListeningBeginsOnce(t *testing.T) {
	begun := 0
	w := httptest.NewRecorder()
	l := newListening(w, func() { begun++ })
	for range 3 { // one for each message that is sent
		l.Flush()
	}
	if begun != 1 || !w.Flushed {
		t.Errorf("it began %d times, flushed: %t", begun, w.Flushed)
	}
}
