package sessiontest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

// replies reads the section model: what the model answers, request by request.
// hold pauses the stream until the verb release.
func replies(text string, hold func() <-chan struct{}) ([]modeltest.Reply, error) {
	var all []modeltest.Reply
	for i, block := range blocks(text) {
		reply := modeltest.Reply{}
		for _, l := range block {
			step, err := step(l, hold)
			if err != nil {
				return nil, fmt.Errorf("reply %d: %q: %w", i+1, l, err)
			}
			reply = append(reply, step)
		}
		all = append(all, reply)
	}
	return all, nil
}

// step reads one line of a reply.
func step(l string, hold func() <-chan struct{}) (modeltest.Step, error) {
	verb, rest := word(l)
	switch verb {
	case "say":
		s, err := unquoted(rest)
		return modeltest.Say(s), err
	case "repeat":
		s, err := repeated(rest)
		return modeltest.Say(s), err
	case "think":
		s, err := unquoted(rest)
		return modeltest.Think(s), err
	case "call":
		name, args := word(rest)
		return modeltest.Call(name, args), nil
	case "pause":
		d, err := time.ParseDuration(rest)
		return modeltest.Pause(d), err
	case "hold":
		return modeltest.Hold(hold()), nil
	case "cut":
		return modeltest.Fail(model.Cut), nil
	case "finish":
		return modeltest.Finish(model.Finish(rest)), nil
	case "usage":
		var u model.Usage
		if _, err := fmt.Sscanf(rest, "%d %d", &u.Input, &u.Output); err != nil {
			return modeltest.Step{}, fmt.Errorf("usage takes the tokens in and out: %w", err)
		}
		u.Total = u.Input + u.Output
		return modeltest.Usage(u), nil
	case "fail":
		return failure(rest)
	}
	return modeltest.Step{}, fmt.Errorf("a model cannot %s", verb)
}

// failure reads a kind, a time to wait if there is one, and a message.
func failure(text string) (modeltest.Step, error) {
	kind, rest := word(text)
	e := &model.Error{Kind: model.ErrorKind(kind), Message: "scripted failure"}
	if after, message := word(rest); after != "" {
		if d, err := time.ParseDuration(after); err == nil {
			e.RetryAfter, rest = d, message
		}
	}
	if rest != "" {
		e.Message = rest
	}
	return modeltest.FailWith(e), nil
}

// unquoted returns a text as it is, or the value of a quoted Go string.
func unquoted(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	return strconv.Unquote(s)
}

// commands reads the section commands: for each, its line after "$ " and then
// what it does.
func commands(text string) (map[string]sandboxtest.Script, error) {
	all := map[string]sandboxtest.Script{}
	for _, block := range blocks(text) {
		name, ok := strings.CutPrefix(block[0], "$ ")
		if !ok {
			return nil, fmt.Errorf("%q: a command begins with $", block[0])
		}
		var whole sandboxtest.Script
		s := &whole
		var pause time.Duration
		for _, l := range block[1:] {
			verb, rest := word(l)
			var err error
			switch verb {
			case "print":
				rest, err = unquoted(rest)
				s.Output = append(s.Output, sandboxtest.Piece{After: pause, Text: rest + "\n"})
				pause = 0
			case "repeat":
				rest, err = repeated(rest)
				s.Output = append(s.Output, sandboxtest.Piece{After: pause, Text: rest})
				pause = 0
			case "pause":
				pause, err = time.ParseDuration(rest)
			case "exit":
				s.Exit.Code, err = strconv.Atoi(rest)
			case "hang":
				s.Hangs = true
			case "stubborn":
				s.Stubborn = true
			case "sandboxed":
				s.Held = sandbox.Isolated
			case "opened":
				whole.Opened = &sandboxtest.Script{Held: s.Held}
				s, pause = whole.Opened, 0
			default:
				err = fmt.Errorf("a command cannot %s", verb)
			}
			if err != nil {
				return nil, fmt.Errorf("command %s: %q: %w", name, l, err)
			}
		}
		s.After = pause
		all[name] = whole
	}
	return all, nil
}
