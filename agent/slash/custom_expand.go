package slash

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// maxOutput bounds what one command line inserts into a prompt, in bytes.
const maxOutput = 64 << 10

// A CommandHost does what the prompts of commands ask for.
type CommandHost interface {
	// Run runs command lines, one after another and the same one once for each
	// time that it is listed, after all of them were allowed. An error means that
	// the prompt must not be sent.
	Run(ctx context.Context, lines []string) ([]CommandOutput, error)
	// File returns the text of a file or a list of a folder's files, as the model
	// reads it. It returns false, and notifies the user why, if it is not sent.
	File(ctx context.Context, path string) (text string, ok bool)
}

// CommandOutput is the outcome of a command line.
type CommandOutput struct {
	Text  string
	Ended string // how it ended, such as "exited with code 1"; empty if it succeeded
}

// OutputOf returns what a command line has printed and how it ended; false if it
// did not run.
func OutputOf(r tools.Result) (CommandOutput, bool) {
	o := CommandOutput{Text: r.Raw}
	switch {
	case r.Exit == nil && r.Err != nil:
		return CommandOutput{}, false
	case r.Exit == nil:
		o.Ended = "aborted"
	case r.Exit.Signal != "":
		o.Ended = "terminated by signal " + r.Exit.Signal
	case r.Exit.Code != 0:
		o.Ended = fmt.Sprintf("exited with code %d", r.Exit.Code)
	}
	return o, true
}

// Runs reports whether the command's prompt contains command lines.
func (c CustomCommand) Runs() bool { return c.prompt.has(shellPart) }

// Expand returns the prompt that the command stands for. args are the words after
// its name, and typed is all that the user typed. Nothing inserted is expanded
// again.
func (c CustomCommand) Expand(ctx context.Context, typed, args string, h CommandHost) (string, error) {
	quoted, err := quote(args)
	if err != nil && c.Runs() {
		return "", fmt.Errorf("the arguments of /%s cannot be part of a command line: %w", c.Name, err)
	}
	var lines []string
	for _, p := range c.prompt {
		if line := p.inside.withArguments(quoted); p.kind == shellPart && line != "" {
			lines = append(lines, line)
		}
	}
	var outputs []CommandOutput
	if len(lines) > 0 {
		if outputs, err = h.Run(ctx, lines); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for _, p := range c.prompt {
		switch p.kind {
		case textPart:
			b.WriteString(p.text)
		case argsPart:
			b.WriteString(args)
		case shellPart:
			if line := p.inside.withArguments(quoted); line != "" {
				b.WriteString(inserted(line, outputs[0]))
				outputs = outputs[1:]
			}
		case filePart:
			path := p.inside.withArguments(args)
			if text, ok := h.File(ctx, path); ok {
				b.WriteString(text)
			} else {
				b.WriteString("@{" + path + "}")
			}
		}
	}
	if args != "" && !c.prompt.has(argsPart) {
		b.WriteString("\n\n" + typed)
	}
	text := strings.TrimSpace(b.String())
	if text == "" {
		return "", errors.New("its prompt is empty")
	}
	return text, nil
}

// quote returns arguments as one word of a command line; empty without any.
func quote(args string) (string, error) {
	if args == "" {
		return "", nil
	}
	return syntax.Quote(args, syntax.LangBash)
}

const outputTag = "untrusted_context"

var closesOutput = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(\s*/?\s*` + outputTag + `)`)
})

// inserted returns the output of a command line as the model reads it: marked as
// data, in the line where it is inserted if it has only one.
func inserted(line string, o CommandOutput) string {
	text := strings.TrimRight(o.Text, "\r\n")
	if len(text) > maxOutput {
		text = visible.CutBytes(text, maxOutput) + "\n(the rest is omitted)"
	}
	if text != "" {
		text = closesOutput().ReplaceAllString(text, "&lt;$1")
		around := ""
		if strings.Contains(text, "\n") {
			around = "\n"
		}
		text = "<" + outputTag + ">" + around + text + around + "</" + outputTag + ">"
	}
	if o.Ended != "" {
		text += fmt.Sprintf("\n[Shell command '%s' %s]\n", line, o.Ended)
	}
	return text
}
