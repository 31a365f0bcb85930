package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Spares keeps one supervisor ready for the next command. Starting one takes longer
// than most commands run, so it is started in advance. It ends with the server, as
// every supervisor does.
type Spares struct {
	mu     sync.Mutex
	ready  *waiting
	making bool
	closed bool
}

// claim returns the spare supervisor, after passing it the command's streams, or nil if
// there is none.
func (s *Spares) claim(streams [3]*os.File) *waiting {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	w := s.ready
	s.ready = nil
	s.mu.Unlock()
	if w == nil {
		return nil
	}
	if err := w.sendStreams(streams); err != nil {
		w.control.Close()
		w.wait()
		return nil
	}
	return w
}

// prepare starts a spare supervisor for the next command.
func (s *Spares) prepare(o *Supervision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != nil || s.making || s.closed {
		return
	}
	s.making = true
	next := Supervision{Attributes: o.Attributes, Visible: o.Visible, In: o.In}
	go func() { // ends when it has started
		w, err := next.launch([3]*os.File{})
		s.mu.Lock()
		defer s.mu.Unlock()
		s.making = false
		switch {
		case err != nil: // the next command reports the error
		case s.closed:
			w.control.Close()
		default:
			s.ready = w
		}
	}()
}

// close ends the spare supervisor. No further one is started.
func (s *Spares) close() {
	s.mu.Lock()
	w := s.ready
	s.ready, s.closed = nil, true
	s.mu.Unlock()
	if w != nil {
		w.control.Close()
		w.wait()
	}
}

// sendStreams sends the streams ahead of the spec, with a space, which JSON ignores.
func (w *waiting) sendStreams(streams [3]*os.File) error {
	rights := unix.UnixRights(int(streams[0].Fd()), int(streams[1].Fd()), int(streams[2].Fd()))
	c, err := w.control.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Write(func(fd uintptr) bool {
		failed = unix.Sendmsg(int(fd), []byte{' '}, rights, nil, unix.MSG_NOSIGNAL)
		return failed != unix.EAGAIN
	})
	if err != nil {
		return err
	}
	return failed
}

// receive reads the first bytes from the control socket. Streams that come with them
// replace those of this process.
func receive(control *os.File) (io.Reader, error) {
	words, streams, err := ReceiveFiles(int(control.Fd()))
	if err == nil {
		err = allStreams(streams)
	}
	if err != nil {
		return nil, err
	}
	for i, fd := range streams {
		if err := redirect(fd, i); err != nil {
			return nil, err
		}
		unix.Close(fd)
	}
	return io.MultiReader(bytes.NewReader(words), control), nil
}

// allStreams returns an error if only some streams have arrived, as when this process may open
// no more files: the output of the command would be lost.
func allStreams(fds []int) error {
	if len(fds) != 0 && len(fds) != 3 {
		return fmt.Errorf("receive a command's streams: %d of 3 arrived", len(fds))
	}
	return nil
}
