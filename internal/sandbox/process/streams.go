package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// streams holds both ends of a command's standard streams.
type streams struct {
	theirs       [3]*os.File // the command's standard input, output and error
	input        *os.File    // our ends, as the next two, or nil
	output, errs *os.File
	late         [2]late // what was read of our outputs after their deadlines
	terminal     bool    // the output is one
}

// open creates the streams of a command.
func (c Command) open() (s *streams, err error) {
	s = &streams{terminal: c.Streams == Watched || c.Streams == Interactive}
	defer func() {
		if err != nil {
			s.closeTheirs()
			s.closeOurs()
		}
	}()
	switch c.Streams {
	case Merged:
		if s.theirs[0], err = os.Open(os.DevNull); err != nil {
			return nil, fmt.Errorf("open what a command has to read: %w", err)
		}
		if s.output, s.theirs[1], err = os.Pipe(); err != nil {
			return nil, fmt.Errorf("make a pipe for the output: %w", err)
		}
		s.theirs[2] = s.theirs[1]
	case Separate:
		for _, end := range []struct{ read, write **os.File }{{&s.theirs[0], &s.input}, {&s.output, &s.theirs[1]}, {&s.errs, &s.theirs[2]}} {
			if *end.read, *end.write, err = os.Pipe(); err != nil {
				return nil, fmt.Errorf("make pipes for a command: %w", err)
			}
		}
	case Watched:
		if err = s.openWatched(c.Rows, c.Columns); err != nil {
			return nil, err
		}
	case Interactive:
		if err = s.openInteractive(c.Rows, c.Columns); err != nil {
			return nil, err
		}
	default:
		panic("sandbox: unknown streams")
	}
	return s, nil
}

// closeTheirs closes the command's ends, once the command has inherited them.
func (s *streams) closeTheirs() { CloseAll(s.theirs[:]) }

func (s *streams) closeOurs() { CloseAll([]*os.File{s.input, s.output, s.errs}) }

// CloseAll closes the files that are not nil.
func CloseAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close() // the same file may occur twice
		}
	}
}

// end makes the outputs end soon, even if a process that could not be ended has them
// open. What has been written by then can still be read; see [output].
func (s *streams) end() {
	for _, f := range []*os.File{s.output, s.errs} {
		if f != nil && f.SetReadDeadline(time.Now().Add(lastOutput)) != nil {
			time.AfterFunc(lastOutput, func() { f.Close() }) // pipes have no deadlines here; the reader may have closed it
		}
	}
}

const (
	lastOutput = 50 * time.Millisecond // how long an output lasts after [Process.Kill] if a process still has it open
	maxLate    = 1 << 20               // bytes read after that: as much as a pipe can hold
	lateReads  = 3 * lastOutput        // how long they are waited for: a process that is left may go on writing
)

// late is what was read after a deadline.
type late struct {
	bytes  int
	waited time.Duration // in these reads; the reader may take its time between two
}

// An output is our end of a command's output. [streams.end] sets its deadline. A
// reader that comes only after the deadline, since the machine is busy, still gets what the
// command wrote: [os.File] alone would return an error.
type output struct {
	file *os.File
	late *late
}

func (o output) Read(b []byte) (int, error) {
	n, err := o.file.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) || o.late.bytes == maxLate {
		return n, err
	}
	if o.late.waited > lateReads {
		return n, err
	}
	began := time.Now()
	if err := o.file.SetReadDeadline(time.Now().Add(lastOutput)); err != nil {
		return 0, err
	}
	n, err = o.file.Read(b[:min(len(b), maxLate-o.late.bytes)])
	o.late.bytes, o.late.waited = o.late.bytes+n, o.late.waited+time.Since(began)
	_ = o.file.SetReadDeadline(time.Unix(1, 0)) // it has passed for the next read too
	return n, err
}

func (o output) Close() error { return o.file.Close() }

// Input, Output and Errors implement [Process]. They return nil interfaces, not
// interfaces that hold a nil file.

func (s *streams) Input() io.WriteCloser {
	if s.input == nil {
		return nil
	}
	return s.input
}

func (s *streams) Output() io.ReadCloser {
	o := output{s.output, &s.late[0]}
	if s.terminal {
		return terminalReader{o}
	}
	return o
}

func (s *streams) Errors() io.ReadCloser {
	if s.errs == nil {
		return nil
	}
	return output{s.errs, &s.late[1]}
}

// A terminalReader reads a terminal, which reports its end by an error.
type terminalReader struct{ output }

func (s terminalReader) Read(b []byte) (int, error) {
	n, err := s.output.Read(b)
	if err != nil {
		err = io.EOF
	}
	return n, err
}
