package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/tools/secret"
)

// A search goes through files, several at once, and keeps their order: the
// same files give the same answer each time.
type search struct {
	env     Env
	asked   string // the pattern as the model wrote it
	lines   *lineSearch
	include include
	exclude []string // names of folders that are left out
	rules   ignore.Options

	dirs []disk.Path
	file *swept // instead of the folders

	names         bool // only the paths are wanted
	perFile       int  // most matches of one file; zero: no matter
	total         int  // most matches
	before, after int  // lines of context
	around        bool // the model said how many
	timeout       time.Duration
}

func (s *search) locations() []Location {
	if s.file != nil {
		return []Location{{Path: s.file.path.Abs}}
	}
	l := make([]Location, len(s.dirs))
	for i, d := range s.dirs {
		l[i].Path = d.Abs
	}
	return l
}

// mostOf is how many matches of one file are looked for.
func (s *search) mostOf() int {
	switch {
	case s.names:
		return 1
	case s.perFile > 0:
		return min(s.perFile, s.total)
	}
	return s.total
}

// batch is files that one goroutine searches in one go, and what came of it
// once done is closed.
type batch struct {
	files []swept
	done  chan struct{}
	report
}

// batchSize is how many files go to a goroutine at once: enough that handing
// them over costs nothing.
const batchSize = 32

// report is what was found and what was not looked at.
type report struct {
	found   []fileMatches
	matches int

	taken   int      // files that include_pattern takes
	secret  []string // left out because of their names
	binary  int      // left out because they are no text
	large   []string // left out because they are too large
	gaps    []string
	full    bool // the limit of matches is reached
	stopped bool // the time was up
}

func (r *report) add(b *report) {
	r.found = append(r.found, b.found...)
	r.matches += b.matches
	r.taken += b.taken
	r.secret = append(r.secret, b.secret...)
	r.binary += b.binary
	r.large = append(r.large, b.large...)
	r.gaps = append(r.gaps, b.gaps...)
}

// forget lets go of the texts that were kept for a few matches.
func (r *report) forget() {
	for i := range r.found {
		r.found[i].data = nil
	}
}

func (s *search) run(outer context.Context) Result {
	timed, stop := context.WithTimeout(outer, s.timeout)
	defer stop()
	all, err := s.all(timed)
	if outer.Err() != nil {
		return Result{Err: grepError(outer, "", context.Cause(outer))}
	}
	if timed.Err() != nil {
		all.stopped, err = true, nil
	}
	if err != nil {
		return Result{Err: grepError(outer, near(s.env, s.locations()[0].Path), err)}
	}
	return s.result(all)
}

// all searches the files in order until there are matches enough. What was
// found is given with an error, too.
func (s *search) all(ctx context.Context) (report, error) {
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
				buffer = s.searchBatch(ctx, b, buffer)
				close(b.done)
			}
		})
	}
	var all, walked report // walked: what the walk itself has to tell
	var failed error
	hands.Go(func() {
		defer close(order)
		defer close(work)
		failed = s.deal(ctx, &walked, func(b *batch) bool {
			select {
			case order <- b:
			case <-ctx.Done():
				return false
			}
			work <- b // someone always takes it
			return true
		})
	})
	for b := range order {
		<-b.done
		few := all.matches <= autoMatches
		all.add(&b.report)
		if few && all.matches > autoMatches {
			all.forget()
		}
		if all.matches >= s.total {
			all.full = true
			break
		}
	}
	stop()
	hands.Wait()
	all.add(&walked)
	if all.full {
		return all, nil
	}
	return all, failed
}

// deal hands out the files in batches.
func (s *search) deal(ctx context.Context, walked *report, hand func(*batch) bool) error {
	b := &batch{done: make(chan struct{})}
	if s.file != nil {
		b.files = []swept{*s.file}
	}
	for _, dir := range s.dirs {
		sweep := sweep{env: s.env, dir: dir, rules: s.rules, exclude: s.exclude}
		hides, err := sweep.hides(ctx)
		if err != nil {
			return err
		}
		if hides {
			walked.gaps = append(walked.gaps, near(s.env, dir.Abs)+" is ignored"+s.ignoredBy())
			continue
		}
		for f, err := range sweep.files(ctx) {
			var gap *walk.Gap
			if errors.As(err, &gap) {
				walked.gaps = append(walked.gaps, "not searched in full: "+near(s.env, dir.Join(gap.Rel).Abs)+": "+gapReason(gap))
				continue
			}
			if err != nil {
				return err
			}
			if f.link { // what it leads to is searched where it is
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

// ignoredBy says what can be done about an ignored file or folder.
func (s *search) ignoredBy() string {
	if s.rules.NoGit {
		return " by .geminiignore or .emendoignore, which only the user can change"
	}
	return "; set no_ignore to search what .gitignore excludes"
}

// searchBatch reads the files into buffer, and gives the one to use next.
func (s *search) searchBatch(ctx context.Context, b *batch, buffer []byte) []byte {
	for _, f := range b.files {
		if ctx.Err() != nil {
			return buffer
		}
		s.searchFile(ctx, f, &b.report, &buffer)
	}
	if b.matches > autoMatches {
		b.forget()
	}
	return buffer
}

func (s *search) searchFile(ctx context.Context, f swept, r *report, buffer *[]byte) {
	if s.file == nil && s.include.pattern != "" && !s.include.takes(f.rel, near(s.env, f.path.Abs)) {
		return
	}
	r.taken++
	if secret.Named(f.path.Rel) {
		r.secret = append(r.secret, near(s.env, f.path.Abs))
		return
	}
	data, err := s.data(ctx, f, buffer)
	switch {
	case err == nil && data == nil:
		return
	case errors.Is(err, fs.ErrNotExist), ctx.Err() != nil:
		return // gone meanwhile, or no longer wanted
	case errors.Is(err, disk.ErrBinary), errors.Is(err, disk.ErrEncoding):
		r.binary++
		return
	case errors.Is(err, disk.ErrTooLarge):
		r.large = append(r.large, near(s.env, f.path.Abs))
		return
	case err != nil:
		r.gaps = append(r.gaps, diskError("search", near(s.env, f.path.Abs), err).Message)
		return
	}
	hits, err := s.lines.find(ctx, data, s.mostOf())
	if len(hits) == 0 {
		return
	}
	if secret.Held(f.path.Abs, data) {
		r.secret = append(r.secret, near(s.env, f.path.Abs))
		return
	}
	if err != nil {
		r.gaps = append(r.gaps, fmt.Sprintf("not searched to its end: %s", near(s.env, f.path.Abs)))
	}
	r.matches += len(hits)
	r.found = append(r.found, s.keep(f, data, hits))
}

// keptBuffer is the largest buffer that is kept for the next file, in bytes.
const keptBuffer = 4 << 20

// data is the text of a file, and nil when it cannot match. It may be in the
// buffer.
func (s *search) data(ctx context.Context, f swept, buffer *[]byte) ([]byte, error) {
	if f.doc != nil {
		return s.lines.text([]byte(f.doc.Text.String()))
	}
	raw, err := s.env.Snapshot.Tree().ReadInto(ctx, f.path, disk.ReadLimit, (*buffer)[:0])
	if err != nil {
		return nil, err
	}
	if cap(raw) > cap(*buffer) && cap(raw) <= keptBuffer {
		*buffer = raw
	}
	return s.lines.text(raw)
}
