package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// width is how many columns are used.
const width = 78

// Colours, as the codes of SGR.
const (
	dim    = "2"
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// screen shows what an editor would show. One goroutine uses it.
type screen struct {
	w      io.Writer
	colour bool
	paced  bool // slow enough to be read along
	err    error

	column int    // of what is being streamed; 0 when nothing is
	word   string // its last word, which may go on
}

func (s *screen) print(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

func (s *screen) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// line writes a line of its own, below what was streamed.
func (s *screen) line(text string) {
	s.endStream()
	s.print(text + "\n")
}

// pause waits for the reader if the output is paced.
func (s *screen) pause(ctx context.Context, d time.Duration) {
	if !s.paced {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// heading is a heading across the screen, with a note where one is given.
func (s *screen) heading(title, note string) {
	if note != "" {
		note = " · " + note
	}
	used := utf8.RuneCountInString(title) + utf8.RuneCountInString(note) + 4
	s.line("")
	s.line(s.paint(dim, "── ") + s.paint(bold, title) + s.paint(dim, note+" "+strings.Repeat("─", max(3, width-used))))
}

// typePrompt types a prompt.
func (s *screen) typePrompt(ctx context.Context, prompt string) {
	s.line("")
	s.print(s.paint(cyan+";"+bold, "you ▸ "))
	for _, r := range prompt {
		s.print(string(r))
		s.pause(ctx, 28*time.Millisecond)
	}
	s.print("\n")
	s.pause(ctx, 400*time.Millisecond)
}

// markedLine is a line about what happens.
func (s *screen) markedLine(mark, text string) {
	s.line("  " + mark + " " + text)
}

// speaker begins an answer.
const speaker = "emendo ▸ "

// stream shows a piece of the answer, wrapped at words.
func (s *screen) stream(text string) {
	if s.column == 0 {
		s.print("\n" + s.paint(green+";"+bold, speaker))
		s.column = utf8.RuneCountInString(speaker)
	}
	for _, r := range text {
		if r == '\n' {
			r = ' '
		}
		if r == ' ' {
			s.endWord()
		}
		s.word += string(r)
	}
}

// endWord writes the word that is complete, with the space before it.
func (s *screen) endWord() {
	n := utf8.RuneCountInString(s.word)
	if s.column+n > width && strings.TrimSpace(s.word) != "" {
		indent := strings.Repeat(" ", utf8.RuneCountInString(speaker))
		s.word = "\n" + indent + strings.TrimLeft(s.word, " ")
		n = utf8.RuneCountInString(s.word) - 1
		s.column = 0
	}
	s.print(s.word)
	s.column += n
	s.word = ""
}

func (s *screen) endStream() {
	if s.column > 0 {
		s.endWord()
		s.print("\n")
		s.column = 0
	}
}

// showLines shows lines of a file with their numbers, marked where they are selected.
func (s *screen) showLines(first int, lines []string, selected bool) {
	bar := "  "
	if selected {
		bar = s.paint(cyan, "▌ ")
	}
	for i, l := range lines {
		s.line(strings.TrimRight(s.paint(dim, fmt.Sprintf("%4d ", first+i))+bar+expandTabs(l), " "))
	}
}

// changed shows removed and added lines of a hunk, whose place is a line
// counted from one.
func (s *screen) changed(first int, mark, code, text string) {
	for i, l := range splitLines(text) {
		s.line(s.paint(dim, fmt.Sprintf("%4d ", first+i)) + s.paint(code, mark+" "+expandTabs(l)))
	}
}

// diff shows a unified diff.
func (s *screen) diff(text string) {
	for _, l := range splitLines(text) {
		code := ""
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
			code = bold
		case strings.HasPrefix(l, "@@"):
			code = cyan
		case strings.HasPrefix(l, "+"):
			code = green
		case strings.HasPrefix(l, "-"):
			code = red
		}
		if l = expandTabs(l); code != "" {
			l = s.paint(code, l)
		}
		s.line(strings.TrimRight("  "+l, " "))
	}
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func expandTabs(l string) string { return strings.ReplaceAll(l, "\t", "    ") }
