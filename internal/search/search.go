// Package search finds lines and files in a workspace by pattern. It reads what
// the user sees: unsaved text where the editor has a file open, the disk
// otherwise. It knows neither tools nor models; what may not be searched, and how
// results are worded, is up to its caller.
package search

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
)

// A Search finds lines in the files below some folders. It searches several files
// at once and keeps their order: the same files yield the same report each time.
type Search struct {
	Snapshot *ide.Snapshot
	Lines    *Matcher
	Dirs     []disk.Path
	Rules    ignore.Options
	Exclude  []string        // names of folders to skip
	Select   func(File) bool // selects files; nil selects all
	File     *File           // searched instead of Dirs
	// Secret reports whether a file may hold secrets, by its path alone when data
	// is nil. The lines of such a file are not reported.
	Secret func(p disk.Path, data []byte) bool

	NamesOnly     bool // report no lines
	PerFile       int  // limit of matches per file; zero means none
	Total         int  // limit of matches
	Before, After int  // lines of context
	// AutoContext shows more lines around the matches if there are only a few.
	AutoContext bool
}

// A Report is the result of a search.
type Report struct {
	Files   []FileMatches
	Matches int
	Limited bool // the limit of matches was reached

	Selected int         // how many files Select took
	Secret   []disk.Path // skipped, may hold secrets
	Large    []disk.Path // skipped, too large
	Binary   int         // how many files were skipped because they are not text
	Gaps     []Gap
}

// A Gap is a file or folder that was not searched, or not in full. Err is
// [ErrIgnored], [ErrInterrupted], a [*walk.Gap] or an error of package disk.
type Gap struct {
	Path disk.Path
	Err  error
}

// Reasons for a gap.
var (
	ErrIgnored     = errors.New("the folder is ignored")
	ErrInterrupted = errors.New("the file was not searched to its end")
)

func (r *Report) add(b *Report) {
	r.Files = append(r.Files, b.Files...)
	r.Matches += b.Matches
	r.Selected += b.Selected
	r.Secret = append(r.Secret, b.Secret...)
	r.Binary += b.Binary
	r.Large = append(r.Large, b.Large...)
	r.Gaps = append(r.Gaps, b.Gaps...)
}

// forget drops the texts that were kept for context.
func (r *Report) forget() {
	for i := range r.Files {
		r.Files[i].data = nil
	}
}

// limit returns how many matches of one file are searched for.
func (s *Search) limit() int {
	switch {
	case s.NamesOnly:
		return 1
	case s.PerFile > 0:
		return min(s.PerFile, s.Total)
	}
	return s.Total
}

// Run searches the files in order until there are enough matches. An error, such
// as the end of ctx, comes with a report of what was found until then.
func (s *Search) Run(ctx context.Context) (Report, error) {
	r, err := s.run(ctx)
	s.trim(&r)
	if !s.NamesOnly {
		s.widen(&r)
	}
	return r, err
}

// A batch is a group of files that one goroutine searches. Its report is complete
// once done is closed.
type batch struct {
	files []File
	done  chan struct{}
	Report
}

// batchSize makes handing batches over cost nothing beside the search.
const batchSize = 32

func (s *Search) run(ctx context.Context) (Report, error) {
	ctx, stop := context.WithCancel(ctx)
	var hands sync.WaitGroup
	defer hands.Wait()
	defer stop()

	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *batch, workers), make(chan *batch, 4*workers)
	for range workers {
		hands.Go(func() {
			buffer := make([]byte, 0, 64<<10) // enough for most files
			for b := range work {
				s.searchBatch(ctx, b, &buffer)
				close(b.done)
			}
		})
	}
	var all, walked Report // walked: gaps of the walk itself
	var failed error
	hands.Go(func() {
		defer close(order)
		defer close(work)
		failed = s.distribute(ctx, &walked, func(b *batch) bool {
			select {
			case order <- b:
			case <-ctx.Done():
				return false
			}
			work <- b // a worker always takes it
			return true
		})
	})
	for b := range order {
		<-b.done
		few := all.Matches <= fewMatches
		all.add(&b.Report)
		if few && all.Matches > fewMatches {
			all.forget()
		}
		if all.Matches >= s.Total {
			all.Limited = true
			break
		}
	}
	stop()
	hands.Wait()
	all.add(&walked)
	if all.Limited {
		return all, nil
	}
	return all, failed
}

// distribute hands out the files in batches.
func (s *Search) distribute(ctx context.Context, walked *Report, hand func(*batch) bool) error {
	b := &batch{done: make(chan struct{})}
	if s.File != nil {
		b.files = []File{*s.File}
	}
	for _, dir := range s.Dirs {
		files := Files{Snapshot: s.Snapshot, Dir: dir, Rules: s.Rules, Exclude: s.Exclude}
		for f, err := range files.All(ctx) {
			if gap, ok := errors.AsType[*walk.Gap](err); ok {
				walked.Gaps = append(walked.Gaps, Gap{dir.Join(gap.Rel), gap})
				continue
			}
			if errors.Is(err, ErrIgnored) {
				walked.Gaps = append(walked.Gaps, Gap{dir, ErrIgnored})
				continue
			}
			if err != nil {
				return err
			}
			if f.Link { // its target is searched where it is
				continue
			}
			if b.files = append(b.files, f); len(b.files) < batchSize {
				continue
			}
			if !hand(b) {
				return context.Cause(ctx)
			}
			b = &batch{done: make(chan struct{})}
		}
	}
	if !hand(b) {
		return context.Cause(ctx)
	}
	return nil
}

func (s *Search) searchBatch(ctx context.Context, b *batch, buffer *[]byte) {
	for _, f := range b.files {
		if ctx.Err() != nil {
			return
		}
		s.searchFile(ctx, f, &b.Report, buffer)
	}
	if b.Matches > fewMatches {
		b.forget()
	}
}

func (s *Search) searchFile(ctx context.Context, f File, r *Report, buffer *[]byte) {
	if s.File == nil && s.Select != nil && !s.Select(f) {
		return
	}
	r.Selected++
	if s.Secret != nil && s.Secret(f.Path, nil) {
		r.Secret = append(r.Secret, f.Path)
		return
	}
	data, err := s.readText(ctx, f, buffer)
	switch {
	case err == nil && data == nil:
		return
	case errors.Is(err, fs.ErrNotExist), ctx.Err() != nil:
		return // removed meanwhile, or no longer wanted
	case errors.Is(err, disk.ErrBinary), errors.Is(err, disk.ErrEncoding):
		r.Binary++
		return
	case errors.Is(err, disk.ErrTooLarge):
		r.Large = append(r.Large, f.Path)
		return
	case err != nil:
		r.Gaps = append(r.Gaps, Gap{f.Path, err})
		return
	}
	hits, err := s.Lines.find(ctx, data, s.limit())
	if len(hits) == 0 {
		return
	}
	if s.Secret != nil && s.Secret(f.Path, data) {
		r.Secret = append(r.Secret, f.Path)
		return
	}
	if err != nil {
		r.Gaps = append(r.Gaps, Gap{f.Path, ErrInterrupted})
	}
	r.Matches += len(hits)
	r.Files = append(r.Files, s.extract(f, data, hits))
}

// keptBuffer is the largest buffer that is kept for the next file, in bytes.
const keptBuffer = 4 << 20

// readText returns the text of a file, or nil if it cannot match. The text may be in
// the buffer.
func (s *Search) readText(ctx context.Context, f File, buffer *[]byte) ([]byte, error) {
	if f.Doc != nil {
		return s.Lines.text("", []byte(f.Doc.Text.String()))
	}
	raw, err := s.Snapshot.Tree().ReadInto(ctx, f.Path, disk.ReadLimit, (*buffer)[:0])
	if err != nil {
		return nil, err
	}
	if cap(raw) > cap(*buffer) && cap(raw) <= keptBuffer {
		*buffer = raw
	}
	return s.Lines.text(f.Path.Abs, raw)
}
