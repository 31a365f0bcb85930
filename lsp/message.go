package lsp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// message types of LSP.
const (
	errorMessage   = 1
	warningMessage = 2
	infoMessage    = 3
)

type message struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// tell shows the user a message; every client can.
func (s *server) tell(ctx context.Context, kind int, text string) {
	s.notify(ctx, "window/showMessage", message{kind, text})
}

type action struct {
	Title string `json:"title"`
}

type messageRequestParams struct {
	Type    int      `json:"type"`
	Message string   `json:"message"`
	Actions []action `json:"actions"`
}

// choose shows the user a message with buttons, where the client declared that it
// can, and gives the title of the one that was chosen; empty when it was closed.
func (s *server) choose(ctx context.Context, kind int, text string, titles ...string) (string, error) {
	p := messageRequestParams{Type: kind, Message: inSight(text)}
	for _, t := range titles {
		p.Actions = append(p.Actions, action{t})
	}
	var chosen *action
	if err := s.call(ctx, "window/showMessageRequest", p, &chosen); err != nil || chosen == nil {
		return "", err
	}
	return chosen.Title, nil
}

// What every editor shows of a message; some show a beginning or an end of this
// size alone.
const (
	seenChars = 800
	seenLines = 12
)

// inSight says at both ends of a long text how long it is: what is asked about
// may stand where it is cut off.
func inSight(text string) string {
	chars := utf8.RuneCountInString(text)
	if chars <= seenChars && strings.Count(text, "\n") < seenLines {
		return text
	}
	size := fmt.Sprintf("(A long question: %s, %d characters. Say yes to it only if you have seen all of it.)", lines(text), chars)
	return size + "\n\n" + text + "\n\n" + size
}
