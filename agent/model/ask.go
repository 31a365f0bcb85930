package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Whole is a complete answer.
type Whole struct {
	Text      string // without thoughts
	Finish    Finish
	Usage     Usage
	Grounding *Grounding // nil if the provider did not search
}

// Ask sends a request and waits for the complete answer. Voided attempts are left
// out, and so is their usage, which generators do not report.
func Ask(ctx context.Context, g Generator, req Request) (Whole, error) {
	var (
		text strings.Builder
		w    Whole
	)
	for c, err := range g.Stream(ctx, req) {
		if err != nil {
			return Whole{}, err
		}
		if c.Retry != nil || c.Fallback != nil {
			text.Reset()
			w = Whole{}
			continue
		}
		for _, p := range c.Parts {
			if t, ok := p.(Text); ok {
				text.WriteString(t.Text)
			}
		}
		if c.Finish != "" {
			w.Finish = c.Finish
		}
		if c.Grounding != nil {
			w.Grounding = c.Grounding
		}
		if c.Usage != nil {
			w.Usage = *c.Usage
		}
	}
	if ctx.Err() != nil {
		return Whole{}, context.Cause(ctx)
	}
	w.Text = text.String()
	return w, nil
}

// AskObject asks for a JSON object and decodes it into out. If that fails it asks
// again, up to attempts times in all. The request has to name the fields.
func AskObject(ctx context.Context, g Generator, req Request, attempts int, out any) error {
	var last error
	for range max(attempts, 1) {
		w, err := Ask(ctx, g, req)
		if err != nil {
			return err
		}
		if last = readObject(w.Text, out); last == nil {
			return nil
		}
	}
	return &Error{Kind: Empty, Message: "the answer is not the requested JSON object", Err: last}
}

// readObject decodes the object in a text. Models put it into a code fence or
// begin with a sentence, whatever they are told.
func readObject(text string, out any) error {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return errors.New("it contains no object")
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), out); err != nil {
		return fmt.Errorf("reading its object: %w", err)
	}
	return nil
}

// Purpose identifies a request that is not a step of a turn. It selects the model
// and its configuration.
type Purpose string

// The purposes.
const (
	Compression Purpose = "chat-compression" // summarize the older part of a conversation, and check the summary
	Classifier  Purpose = "classifier"       // judge how hard a prompt is
	LoopJudge   Purpose = "loop-detection"   // judge whether a model repeats itself
	SecondJudge Purpose = "loop-detection-double-check"
	NextSpeaker Purpose = "next-speaker-checker" // judge whether a model stopped in the middle of its work
	WebSearch   Purpose = "web-search"           // answer a question by the provider's search
	Sampling    Purpose = "mcp-sampling"         // answer a request of an MCP server
	Summarizer  Purpose = "summarizer-default"   // summarize a session in one line
)
