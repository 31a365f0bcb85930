package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/emendo-dev/emendo/mcp/schema"
)

// Limits of what a server may print. All but maxMessage are allowances that are
// refilled in time, so that a server may run for ever.
const (
	maxMessage  = 64 << 20 // bytes of one message
	maxGarbage  = 1 << 20  // bytes that are no messages, such as banners
	maxMessages = 20_000   // messages at once …
	perSecond   = 1_000    // … and this many more a second
)

// lines passes on those lines of a server's output that are JSON: servers print
// banners and debug output between messages. It implements [io.Reader].
type lines struct {
	in   *bufio.Reader
	left []byte // of the line that is passed on

	longest int             // bytes of a message
	written *schema.Written // keeps the schemas of tools; nil: nothing does

	garbage int
	spare   float64   // messages that may come at once
	counted time.Time // when spare was refilled
	sample  string    // the first line that was no message
	err     error     // ends the reading
}

func newLines(in io.Reader) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), longest: maxMessage, spare: maxMessages, counted: time.Now()}
}

func (l *lines) Read(b []byte) (int, error) {
	for len(l.left) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.left = l.nextMessage()
	}
	n := copy(b, l.left)
	l.left = l.left[n:]
	return n, nil
}

// nextMessage reads a line, and returns it if it is a message.
func (l *lines) nextMessage() []byte {
	var line []byte
	for whole := false; !whole; {
		piece, err := l.in.ReadSlice('\n')
		line = append(line, piece...)
		switch whole = !errors.Is(err, bufio.ErrBufferFull); {
		case !begins(line) && l.garbage+len(line) > maxGarbage: // text is not collected
			l.countGarbage(line)
			return nil
		case len(line) > l.longest:
			l.err = fmt.Errorf("it sent a message of more than %d MiB", l.longest>>20)
			return nil
		case whole:
			l.err = err // nil at the end of a line
		}
	}
	return l.message(line)
}

// begins reports whether the first bytes of a line may be those of a message.
func begins(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r\x00")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[')
}

// message returns a line if it is JSON and the server has not sent too many.
func (l *lines) message(line []byte) []byte {
	text := bytes.TrimSpace(line)
	if !json.Valid(text) {
		l.countGarbage(line)
		return nil
	}
	now := time.Now()
	l.spare = min(maxMessages, l.spare+now.Sub(l.counted).Seconds()*perSecond)
	l.counted = now
	if l.spare--; l.spare < 0 {
		l.err = fmt.Errorf("it floods emendo with messages: more than %d a second", perSecond)
		return nil
	}
	text = repairedMessage(text)
	if l.written != nil {
		l.written.Message(text)
	}
	return append(text, '\n')
}

// countGarbage counts what is no message.
func (l *lines) countGarbage(piece []byte) {
	if l.sample == "" {
		l.sample = string(bytes.TrimSpace(piece[:min(len(piece), 200)]))
	}
	if l.garbage += len(piece); l.garbage > maxGarbage {
		l.err = fmt.Errorf("it prints text that is no message of the protocol, such as %q", l.sample)
	}
}
