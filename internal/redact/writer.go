package redact

import (
	"io"
	"slices"
	"strings"
	"sync"
)

// A Writer replaces the known secrets in a stream, also across writes: it buffers
// what may be the beginning of one until more comes.
type Writer struct {
	r  *Redactor
	to io.Writer

	mu       sync.Mutex
	buffered string
}

// Writer returns a Writer to another writer. [Writer.Close] flushes the buffer and
// does not close the other writer.
func (r *Redactor) Writer(to io.Writer) *Writer { return &Writer{r: r, to: to} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, buffered := w.r.stream(w.buffered + string(p))
	w.buffered = buffered
	if out == "" {
		return len(p), nil
	}
	if _, err := io.WriteString(w.to, out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close flushes the buffer.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	buffered := w.buffered
	w.buffered = ""
	if buffered == "" {
		return nil
	}
	_, err := io.WriteString(w.to, buffered)
	return err
}

// stream is Known for the next part of a stream. buffered is the end of s that may be
// the beginning of a secret.
func (r *Redactor) stream(s string) (out, buffered string) {
	l := r.needles()
	from := max(0, len(s)-l.longest+1)
	for i := 0; i < len(s); {
		if n, ok := l.needleAt(s[i:]); ok {
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

// begins reports whether s is a proper prefix of a secret.
func (l *needles) begins(s string) bool {
	return slices.ContainsFunc(l.from[s[0]], func(n needle) bool { return n.text != s && strings.HasPrefix(n.text, s) })
}
