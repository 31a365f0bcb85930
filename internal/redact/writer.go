package redact

import (
	"io"
	"sync"
)

// Writer takes the known secrets out of a stream, wherever it is cut into
// writes: what may be the beginning of one is held back until more comes.
type Writer struct {
	r  *Redactor
	to io.Writer

	mu   sync.Mutex
	held string
}

// Writer makes a writer to another. [Writer.Close] writes what is held back;
// the other is not closed.
func (r *Redactor) Writer(to io.Writer) *Writer { return &Writer{r: r, to: to} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, held := w.r.stream(w.held + string(p))
	w.held = held
	if out == "" {
		return len(p), nil
	}
	if _, err := io.WriteString(w.to, out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what was held back.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.held
	w.held = ""
	if held == "" {
		return nil
	}
	_, err := io.WriteString(w.to, held)
	return err
}

// stream is Known for a text that goes on: held is its end as far as it may
// begin a secret.
func (r *Redactor) stream(s string) (out, held string) {
	l, ok := r.needles()
	if !ok {
		return s, ""
	}
	from := max(0, len(s)-l.longest+1)
	for i := 0; i < len(s); {
		if n, ok := l.at(s[i:]); ok {
			i += len(n.text)
			continue
		}
		if i >= from && l.begins(s[i:]) {
			return l.hide(s[:i]), s[i:]
		}
		i++
	}
	return l.hide(s), ""
}

// begins says whether a secret begins with all of s.
func (l *needles) begins(s string) bool {
	for _, n := range l.from[s[0]] {
		if len(n.text) > len(s) && n.text[:len(s)] == s {
			return true
		}
	}
	return false
}
