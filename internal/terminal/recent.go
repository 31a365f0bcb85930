package terminal

import (
	"context"
	"io"
	"slices"
	"sync"
)

// Recent keeps the end of an output as it was written, with its control sequences, for those who
// follow it. Nobody who reads slowly holds the writer up.
type Recent struct {
	most int // bytes that are kept at least

	mu    sync.Mutex
	kept  []byte
	size  int64 // bytes ever written
	ended bool
	news  chan struct{} // closed at the next change
}

// NewRecent returns an empty output of which at least that many bytes are kept, and at most
// twice as many.
func NewRecent(most int) *Recent { return &Recent{most: most, news: make(chan struct{})} }

// Write adds to the output. It never fails.
func (r *Recent) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.size = append(r.kept, p...), r.size+int64(len(p))
	if len(r.kept) > 2*r.most {
		r.kept = append(make([]byte, 0, 2*r.most), r.kept[len(r.kept)-r.most:]...)
	}
	r.changed()
	return len(p), nil
}

// End ends the output.
func (r *Recent) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.kept = true, slices.Clone(r.kept[max(0, len(r.kept)-r.most):])
	r.changed()
}

func (r *Recent) changed() {
	close(r.news)
	r.news = make(chan struct{})
}

// From returns the output from an offset on, and the offset behind it. It waits until there is
// some, and returns [io.EOF] with the last of it. If the beginning is not kept any more, what is
// returned begins with a line where it can.
func (r *Recent) From(ctx context.Context, at int64) (b []byte, next int64, err error) {
	r.mu.Lock()
	for at >= r.size && !r.ended {
		news := r.news
		r.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
			return nil, at, context.Cause(ctx)
		}
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	b = r.kept
	if lost := r.size - int64(len(b)) - at; lost > 0 {
		b = fromLine(b)
	} else {
		b = b[min(-lost, int64(len(b))):]
	}
	if r.ended {
		err = io.EOF
	}
	return slices.Clone(b), r.size, err
}
