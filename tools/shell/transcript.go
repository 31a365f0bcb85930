package shell

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

// Limits of output, in bytes.
const (
	maxKept  = 1 << 20  // in memory, and in the result
	maxShown = 16 << 10 // to the user, while the command runs and afterwards
)

// A transcript is the rendered output of a command: its beginning and its end
// when it is longer than maxKept. It may be read while it is written.
type transcript struct {
	kept func(text []byte) // is given each text that will not change any more, which is not its own; may be nil

	mu     sync.Mutex
	screen *screen
	head   []byte // the first maxKept/2 bytes
	tail   []byte // what follows, at least its last maxKept/2 bytes
	lost   int    // bytes that were between them
	binary int    // bytes of binary output that are not told yet
}

// newTranscript is for the output of a program that writes to so many columns.
func newTranscript(columns int) *transcript {
	t := &transcript{}
	t.screen = newScreen(columns, t.add)
	return t
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Write(p)
}

// end is called when nothing more is written.
func (t *transcript) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.end()
	t.tellBinary()
}

// add takes a text that is done. Lines of binary output are only counted:
// they would cost much and tell nothing.
func (t *transcript) add(line []byte, escapes int) {
	if escapes > 3 && escapes*10 > len(line) || t.binary > 0 && escapes > 0 {
		t.binary += len(line) - 3*escapes // an escape is four characters for one byte
		return
	}
	t.tellBinary()
	t.keep(line)
}

func (t *transcript) tellBinary() {
	if t.binary > 0 {
		t.keep(fmt.Appendf(nil, "[binary output, %s]\n", count(t.binary, "byte")))
		t.binary = 0
	}
}

func (t *transcript) keep(text []byte) {
	if t.kept != nil {
		t.kept(text)
	}
	n := min(len(text), maxKept/2-len(t.head))
	t.head = append(t.head, text[:n]...)
	t.tail = append(t.tail, text[n:]...)
	if len(t.tail) > maxKept { // twice what is needed, so that moving it is rare
		cut := len(t.tail) - maxKept/2
		t.lost += cut
		t.tail = append(t.tail[:0], t.tail[cut:]...)
	}
}

// size is the length of all that was written, in bytes.
func (t *transcript) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.length()
}

func (t *transcript) length() int { return len(t.head) + t.lost + len(t.tail) }

// whole returns the transcript as far as it was kept, and how many bytes are
// missing from its middle.
func (t *transcript) whole() (text string, lost int) {
	text = t.text(maxKept)
	t.mu.Lock()
	defer t.mu.Unlock()
	return text, t.lost
}

// text is the transcript in at most limit bytes and a line that says what is
// left out of the middle.
func (t *transcript) text(limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := append(t.head[:len(t.head):len(t.head)], t.tail...)
	if t.lost == 0 && len(all) <= limit {
		return string(all)
	}
	head, tail, half := all, all, min(limit, maxKept)/2
	if t.lost > 0 {
		head, tail = t.head, t.tail
	}
	head, tail = upToLine(head[:min(half, len(head))]), fromLine(tail[max(0, len(tail)-half):])
	return fmt.Sprintf("%s\n[… %s left out …]\n%s", head, count(t.length()-len(head)-len(tail), "byte"), tail)
}

// now is the end of the output so far, at most maxShown bytes, in whole lines
// where possible.
func (t *transcript) now() string { return t.last(math.MaxInt, maxShown) }

// last is the end of the output so far, at most so many lines and bytes, in
// whole lines where possible.
func (t *transcript) last(lines, limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := max(0, len(t.tail)-limit)
	b, whole := slices.Clone(t.tail[from:]), from == 0 || t.tail[from-1] == '\n'
	if short := limit - len(b); short > 0 && t.lost == 0 {
		from = max(0, len(t.head)-short)
		b, whole = slices.Concat(t.head[from:], b), from == 0 || t.head[from-1] == '\n'
	}
	if t.binary > 0 {
		b = fmt.Appendf(b, "[binary output, %s so far]\n", count(t.binary, "byte"))
	}
	b = t.screen.text(b)
	if over := len(b) - limit; over > 0 {
		b, whole = b[over:], b[over-1] == '\n'
	}
	if !whole {
		b = fromLine(b)
	}
	return string(lastLines(b, lines))
}

// lastLines is the end of b that has at most n lines.
func lastLines(b []byte, n int) []byte {
	at := len(bytes.TrimSuffix(b, []byte("\n")))
	for ; n > 0; n-- {
		if at = bytes.LastIndexByte(b[:at], '\n'); at < 0 {
			return b
		}
	}
	return b[at+1:]
}

// shrink forgets all but the end of the output, of at most limit bytes. Nothing
// is written any more.
func (t *transcript) shrink(limit int) {
	end := t.last(math.MaxInt, limit)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.tail, t.lost = nil, []byte(end), t.length()-len(end)
}

// upToLine is b up to its last line end, if there is one in its second half,
// else up to its last whole character.
func upToLine(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		return b[:i]
	}
	for len(b) > 0 {
		if r, n := utf8.DecodeLastRune(b); r != utf8.RuneError || n != 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}

// fromLine is b from its first whole line, if that begins in its first half,
// else from its first whole character.
func fromLine(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)/2 {
		return b[i+1:]
	}
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return b
}

// count is a number with its noun, "1 byte" or "2 bytes".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
