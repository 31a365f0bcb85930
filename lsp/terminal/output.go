package terminal

import (
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/view/phrase"
)

// update are the params of emendo/session/update for a terminal. It has no number: it is no part
// of a session's record.
type update struct {
	SessionID string `json:"sessionId,omitzero"`
	Update    news   `json:"update"`
}

type news struct {
	Kind       string `json:"sessionUpdate"`
	TerminalID string `json:"terminalId"`
	Data       string `json:"data,omitzero"`
	Exit       *exit  `json:"exit,omitzero"`
}

// exit is how a program ended.
type exit struct {
	Code   *int        `json:"exitCode,omitzero"`
	Signal string      `json:"signal,omitzero"`
	Text   phrase.Text `json:"text"`
}

// output sends what a program writes, as text.
type output struct {
	to   *terminal
	rest []byte // the beginning of a character
}

// write sends what was written, and waits until the client has taken it: then a program that
// writes much waits too.
func (o *output) write(b []byte) error {
	b = append(o.rest, b...)
	whole := whole(b)
	o.rest = append([]byte(nil), b[whole:]...)
	if whole == 0 {
		return nil
	}
	return o.send(news{Data: asText(b[:whole])})
}

// end sends how the program ended, after all that it has written.
func (o *output) end(e exit) error {
	if len(o.rest) > 0 {
		if err := o.send(news{Data: asText(o.rest)}); err != nil {
			return err
		}
	}
	return o.send(news{Exit: &e})
}

func (o *output) send(n news) error {
	if err := o.to.life.Err(); err != nil {
		return err // nothing is sent of a terminal that the client has closed
	}
	n.Kind, n.TerminalID = "_emendo/terminal", o.to.id
	if err := o.to.c.Send(o.to.life, "emendo/session/update", update{o.to.session, n}); err != nil {
		return err
	}
	return o.to.c.Drain(o.to.life)
}

// whole returns the length of b without a character at its end that is not complete.
func whole(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if at := len(b) - n; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}

// asText returns bytes as text. Each that is part of no character becomes U+FFFD.
func asText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
