package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// index is where a log has what is read from it again.
type index struct {
	results map[int64]span // the lines with results of calls, by the numbers of their updates
	turns   []start        // in the order in which they began
	numbers map[string]int // of turns, by ID
	calls   map[string]int // that are not over: the number of the turn
	rewound []region       // what rewinds removed
	latest  time.Time      // of all records
}

// start is where a turn begins.
type start struct {
	at int64 // of its first record
	// apart says that the records from there on read by themselves: they belong to turns that
	// began there or later, and no time of theirs is one of a record before.
	apart bool
}

// region is the part of a log between two offsets.
type region struct{ from, to int64 }

// note notes a record. A log only grows, so that it stays where it is.
func (x *index) note(r Record, line span) {
	if x.numbers == nil {
		x.results, x.numbers, x.calls = map[int64]span{}, map[string]int{}, map[string]int{}
	}
	later := r.At.After(x.latest)
	if later {
		x.latest = r.At
	}
	if r.Turn != "" {
		if _, known := x.numbers[r.Turn]; !known {
			x.numbers[r.Turn] = len(x.turns)
			x.turns = append(x.turns, start{line.at, later})
		}
		x.join(x.numbers[r.Turn])
	}
	switch e := r.Event.(type) { //nolint:gochecksumtype // the others are not looked for
	case Rewound:
		gone := region{to: line.at}
		if n, known := x.numbers[e.TurnID]; known {
			gone.from = x.turns[n].at
		}
		x.rewound = append(x.rewound, gone)
	case Redone:
		if n := len(x.rewound); n > 0 {
			x.rewound = x.rewound[:n-1]
		}
	case ToolCall:
		if r.Turn != "" {
			x.calls[e.CallID] = x.numbers[r.Turn]
		}
	case ToolUpdate:
		if n, known := x.calls[e.CallID]; known {
			x.join(n)
		}
		if e.Over() {
			delete(x.calls, e.CallID)
			if r.Seq != 0 {
				x.results[r.Seq] = line
			}
		}
	}
}

// join notes that there is more of a turn: those after it do not stand apart from it.
func (x *index) join(n int) {
	for i := range x.turns[n+1:] {
		x.turns[n+1+i].apart = false
	}
}

// isGone reports whether a rewind removed a record.
func (x *index) isGone(at int64, e Event) bool {
	return !outlasts(e) && slices.ContainsFunc(x.rewound, func(r region) bool { return r.from <= at && at < r.to })
}

// A Past reads the updates of a session backwards, as they are at one time. It is not safe for
// concurrent use.
type Past struct {
	session, path string
	index         index
	end           int64 // what is before it has not been read
}

// OpenPast returns the past of a session until now.
func (l *Log) OpenPast(session string) (*Past, error) {
	p := &Past{session: session, path: l.path}
	l.mu.Lock()
	p.index = index{turns: slices.Clone(l.index.turns), numbers: maps.Clone(l.index.numbers), calls: maps.Clone(l.index.calls), rewound: slices.Clone(l.index.rewound), latest: l.index.latest, results: map[int64]span{}}
	read, last := l.read, l.last
	l.mu.Unlock()
	err := p.open(func(f io.ReaderAt) (err error) {
		_, p.end, err = readRecords(f, read, &last, p.index.note) // of other processes
		return err
	})
	p.index.numbers, p.index.calls, p.index.results = nil, nil, nil
	return p, err
}

func (p *Past) open(read func(io.ReaderAt) error) error {
	f, err := os.Open(p.path)
	if errors.Is(err, fs.ErrNotExist) && p.end == 0 { // nothing was recorded so far
		return nil
	}
	if err != nil {
		return fmt.Errorf("open session log: %w", err)
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("read session log %s: %w", p.path, err)
	}
	return nil
}

// Earlier reports whether there is more to read.
func (p *Past) Earlier() bool { return p.end > 0 }

// ReadBack reads what is before that which was read last: at least so many bytes of the log, if it
// has as many, and whole turns. The chunks of each message are merged. What is folded from it does
// not depend on what is before, but for what the model's context holds.
func (p *Past) ReadBack(least int64) (updates []Update, err error) {
	from := int64(0)
	for n, t := range slices.Backward(p.index.turns) {
		if t.apart && t.at <= p.end-least {
			from, p.index.turns = t.at, p.index.turns[:n]
			break
		}
	}
	err = p.open(func(f io.ReaderAt) error {
		var gone []bool
		rs, _, err := readRecords(io.NewSectionReader(f, 0, p.end), from, new(Record), func(r Record, line span) {
			gone = append(gone, p.index.isGone(line.at, r.Event))
		})
		updates, _ = updatesOf(p.session, rs, gone, 0)
		return err
	})
	if err == nil {
		p.end = from
	}
	return updates, err
}
