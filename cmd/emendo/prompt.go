package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/headless"
)

// promptText combines the prompt from the command line and standard input.
func (p process) promptText(ctx context.Context, text string, prompted bool) (string, error) {
	if text == "-" { // as other programs call standard input
		text, prompted = "", false
	}
	piped, err := headless.ReadPrompt(ctx, p.stdin, prompted, p.warn)
	if err != nil {
		return "", exit{exitInput, fmt.Errorf("read standard input: %w", err)}
	}
	switch {
	case strings.TrimSpace(text) == "" && prompted:
		return "", cli.BadInput("the prompt is empty")
	case strings.TrimSpace(piped) == "" && text == "":
		return "", cli.BadInput("no prompt: pass one with -p, as an argument or on standard input")
	case piped != "" && text != "":
		return piped + "\n\n" + text, nil
	}
	return text + piped, nil
}
