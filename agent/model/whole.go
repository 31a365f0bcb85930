package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Whole is an answer that has come to its end.
type Whole struct {
	Text   string // all of it, thoughts left out
	Finish Finish
	Usage  Usage
}

// Ask sends a request and waits for the whole of its answer, for those who have
// nothing to show while it comes. What a repeated attempt voids is left out,
// except for its cost, which no generator tells.
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

// AskObject asks for a JSON object and reads it into out. An answer that is
// none is asked for again, up to attempts times in all; so is one whose fields
// are of other types. The request itself has to say which fields it wants.
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
	return &Error{Kind: Empty, Message: "the answer is not the JSON object that was asked for", Err: last}
}

// readObject reads the object that a text holds: models put it into a fence, or
// a sentence before it, whatever they are told.
func readObject(text string, out any) error {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return errors.New("it holds no object")
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), out); err != nil {
		return fmt.Errorf("reading its object: %w", err)
	}
	return nil
}
