package terminal

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

// MaxKept is how much of the output is kept, in bytes.
const MaxKept = 1 << 20

// A Transcript is the rendered output of a command: its beginning and its end
// if it is longer than [MaxKept]. It may be read while it is written.
type Transcript struct {
	// Done, if not nil, is called with each piece of text that can no longer
	// change. It must not retain the text. Set it before the first Write.
	Done func(text []byte)

	// Decode, if not nil, returns lines that are not UTF-8 as such, and the encoding
	// that it has found; it is called with the last one. What it cannot decode it
	// leaves as it is. Set it before the first Write.
	Decode func(lines []byte, encoding string) (text []byte, found string)

	mu     sync.Mutex
	screen *screen
	head   []byte // the first MaxKept/2 bytes
	tail   []byte // the rest, at least its last MaxKept/2 bytes
	lost   int    // number of bytes dropped between them
	binary int    // bytes of binary output not reported yet

	encoding string // of the lines that were not UTF-8; "" before the first
	partial  []byte // the beginning of a line that is not UTF-8, or of a character
}

// NewTranscript returns an empty transcript.
func NewTranscript() *Transcript {
	t := &Transcript{}
	t.screen = newScreen(t)
	return t
}

// Write renders p. It never fails.
func (t *Transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := p
	if len(t.partial) > 0 {
		all = append(t.partial, p...)
	}
	var now int // up to where it is written
	if whole := uncut(all); utf8.Valid(all[:whole]) {
		now = whole
	} else if now = bytes.LastIndexByte(all, '\n') + 1; len(all)-now > longestPartial {
		now = len(all)
	}
	t.partial = slices.Clone(all[now:])
	t.decoded(all[:now])
	return len(p), nil
}

// longestPartial limits how much of a line is kept until its end, in bytes.
const longestPartial = 64 << 10

// decoded writes lines to the screen, in UTF-8 where they can be decoded.
func (t *Transcript) decoded(lines []byte) {
	if t.Decode != nil && !utf8.Valid(lines) && !bytes.ContainsFunc(lines, isControl) {
		lines, t.encoding = t.Decode(lines, t.encoding)
	}
	t.screen.Write(lines)
}

// isControl reports whether a character is one that text does not have.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\b' && r != '\a' && r != '\f' && r != '\x1b'
}

// uncut returns the length of p without the beginning of a character at its end.
func uncut(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if utf8.RuneStart(p[len(p)-n]) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return len(p) - n
			}
			break
		}
	}
	return len(p)
}

// End finishes the transcript. Nothing may be written after it.
func (t *Transcript) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if uncut(t.partial) > 0 {
		t.decoded(t.partial)
	} else {
		t.screen.Write(t.partial)
	}
	t.partial = nil
	t.screen.end()
	t.reportBinary()
}

// add appends text that can no longer change, without retaining it. Lines of binary output are only
// counted.
func (t *Transcript) add(line []byte, escapes int) {
	if escapes > 3 && escapes*10 > len(line) || t.binary > 0 && escapes > 0 {
		t.binary += len(line) - 3*escapes // an escape shows one byte in four characters
		return
	}
	t.reportBinary()
	t.store(line)
}

func (t *Transcript) reportBinary() {
	if t.binary > 0 {
		t.store(fmt.Appendf(nil, "[binary output, %s]\n", bytesOf(t.binary)))
		t.binary = 0
	}
}

func (t *Transcript) store(text []byte) {
	if t.Done != nil {
		t.Done(text)
	}
	n := min(len(text), MaxKept/2-len(t.head))
	t.head = append(t.head, text[:n]...)
	t.tail = append(t.tail, text[n:]...)
	if len(t.tail) > MaxKept { // twice what is needed, so that it is rarely moved
		cut := len(t.tail) - MaxKept/2
		t.lost += cut
		t.tail = append(t.tail[:0], t.tail[cut:]...)
	}
}

// Size returns the length of the whole rendered output in bytes.
func (t *Transcript) Size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.length()
}

func (t *Transcript) length() int { return len(t.head) + t.lost + len(t.tail) }

// Whole returns the transcript as far as it was kept, and how many bytes are
// missing from its middle.
func (t *Transcript) Whole() (text string, lost int) {
	text = t.Text(MaxKept)
	t.mu.Lock()
	defer t.mu.Unlock()
	return text, t.lost
}

// Text returns the transcript in at most limit bytes, plus a line that reports
// how much is left out of the middle.
func (t *Transcript) Text(limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := append(t.head[:len(t.head):len(t.head)], t.tail...)
	if t.lost == 0 && len(all) <= limit {
		return string(all)
	}
	head, tail, half := all, all, min(limit, MaxKept)/2
	if t.lost > 0 {
		head, tail = t.head, t.tail
	}
	head, tail = upToLine(head[:min(half, len(head))]), fromLine(tail[max(0, len(tail)-half):])
	return fmt.Sprintf("%s\n[… %s left out …]\n%s", head, bytesOf(t.length()-len(head)-len(tail)), tail)
}

// Tail returns the end of the output so far: at most that many lines and bytes,
// in whole lines where possible.
func (t *Transcript) Tail(lines, limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := max(0, len(t.tail)-limit)
	b, whole := slices.Clone(t.tail[from:]), from == 0 || t.tail[from-1] == '\n'
	if short := limit - len(b); short > 0 && t.lost == 0 {
		from = max(0, len(t.head)-short)
		b, whole = slices.Concat(t.head[from:], b), from == 0 || t.head[from-1] == '\n'
	}
	if t.binary > 0 {
		b = fmt.Appendf(b, "[binary output, %s so far]\n", bytesOf(t.binary))
	}
	b = t.screen.appendTo(b)
	if over := len(b) - limit; over > 0 {
		b, whole = b[over:], b[over-1] == '\n'
	}
	if !whole {
		b = fromLine(b)
	}
	return string(lastLines(b, lines))
}

// lastLines returns the last n lines of b.
func lastLines(b []byte, n int) []byte {
	at := len(bytes.TrimSuffix(b, []byte("\n")))
	for ; n > 0; n-- {
		if at = bytes.LastIndexByte(b[:at], '\n'); at < 0 {
			return b
		}
	}
	return b[at+1:]
}

// Shrink drops all but the end of the output, at most limit bytes. Call it after
// [Transcript.End].
func (t *Transcript) Shrink(limit int) {
	end := t.Tail(math.MaxInt, limit)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.tail, t.lost = nil, []byte(end), t.length()-len(end)
}

// upToLine returns b up to its last newline if that is in its second half, else
// up to its last complete character.
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

// fromLine returns b from its first complete line if that starts in its first
// half, else from its first complete character.
func fromLine(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)/2 {
		return b[i+1:]
	}
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return b
}

// bytesOf returns "1 byte" or "n bytes".
func bytesOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
