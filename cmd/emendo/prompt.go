package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/headless"
)

// promptBlocks combines the prompt from the command line and standard input, whose
// text counts as passed on if there is a prompt on the command line.
func (p process) promptBlocks(ctx context.Context, text string, prompted bool) ([]transcript.Block, error) {
	if text == "-" { // as other programs call standard input
		text, prompted = "", false
	}
	piped, err := headless.ReadPrompt(ctx, p.stdin, prompted, p.warn)
	if err != nil {
		return nil, exit{exitInput, fmt.Errorf("read standard input: %w", err)}
	}
	switch {
	case strings.TrimSpace(text) == "" && prompted:
		return nil, cli.BadInput("the prompt is empty")
	case strings.TrimSpace(piped) == "" && text == "":
		return nil, cli.BadInput("no prompt: pass one with -p, as an argument or on standard input")
	case piped != "" && text != "":
		return []transcript.Block{{Type: transcript.TextBlock, Text: piped + "\n\n", Passed: true}, {Type: transcript.TextBlock, Text: text}}, nil
	}
	return []transcript.Block{{Type: transcript.TextBlock, Text: text + piped}}, nil
}
