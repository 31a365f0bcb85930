package transcript

import (
	"errors"
	"os"
)

// ErrLost is returned for a record that is not in its log any more.
var ErrLost = errors.New("the log no longer has the record")

// span is a line of a log.
type span struct {
	at   int64
	size int
}

// Reread reads the results of calls again, by the numbers of their updates, and calls got with
// each in turn. It decodes only the lines that may have what is wanted; a nil may is for all.
// Nothing waits for it: the log is not locked meanwhile.
func (l *Log) Reread(seqs []int64, may func(line []byte) bool, got func(i int, u ToolUpdate, err error)) {
	spans := make([]span, len(seqs))
	l.mu.Lock()
	for i, seq := range seqs {
		spans[i] = l.index.results[seq]
	}
	l.mu.Unlock()
	f, err := os.Open(l.path)
	if err == nil {
		defer f.Close()
	}
	var line []byte
	for i, s := range spans {
		if err != nil || s.size == 0 {
			got(i, ToolUpdate{}, errors.Join(ErrLost, err))
			continue
		}
		if cap(line) < s.size {
			line = make([]byte, s.size)
		}
		line = line[:s.size]
		if _, err := f.ReadAt(line, s.at); err != nil {
			got(i, ToolUpdate{}, errors.Join(ErrLost, err))
			continue
		}
		if may != nil && !may(line) {
			continue
		}
		r, err := parseRecord(line)
		u, ok := r.Event.(ToolUpdate)
		if !ok || r.Seq != seqs[i] {
			got(i, ToolUpdate{}, errors.Join(ErrLost, err))
			continue
		}
		got(i, u, nil)
	}
}
