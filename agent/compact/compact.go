// Package compact shortens long conversations: a model summarizes the older part,
// and old tool results are cut or masked. It takes messages and returns new ones. It
// knows no session and stores nothing; what it removes goes to a [Save] function.
package compact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// DefaultThreshold is the share of the model's limit at which a conversation is
// compacted: the default of Gemini CLI's model.compressionThreshold.
const DefaultThreshold = 0.5

// kept is the share of the conversation, in tokens, that is not summarized.
const kept = 0.3

// Input is a conversation and what to do with it.
type Input struct {
	// Messages are curated: the first is the user's, roles alternate, and each
	// call is answered in the next message.
	Messages []model.Message
	// Preface begins the new conversation, for example with the folder and the
	// date. It replaces the beginning of the old one.
	Preface []model.Part

	Limit     int64            // of the model, in tokens
	Around    int64            // estimated tokens of the system prompt and the tools
	Ratio     model.TokenRatio // learned in this session
	Threshold float64          // share of Limit; 0: DefaultThreshold

	Forced       bool   // compact at any size: the user asked for it, or the provider refused the request as too long
	FailedBefore bool   // the last summary did not help: ask no model, unless Forced
	Focus        string // what the user wants the summary to keep above all
	Plan         string // path of the plan that the user approved

	Save  Save          // stores what is cut; nil: it is lost
	NewID func() string // makes IDs of messages; nil: [model.NewCallID]
}

// Save stores a text and returns the path at which the model can read it. The name
// shows its origin. It may be called again with the same name and text.
type Save func(name, text string) (path string, err error)

// Result is the result of a compaction.
type Result struct {
	Status Status
	// Messages are the new conversation, for [Compacted] and [ContentTruncated],
	// curated like Input.Messages.
	Messages []model.Message
	Summary  string           // replaces the older part; for Compacted
	Kept     int              // index of the first message of the input that stays; for Compacted
	Cut      []transcript.Cut // results in Messages that were shortened
	// Before and After are estimates of the size of a request, in tokens, scaled
	// by the learned ratio.
	Before, After int64
}

// Status is the outcome of a compaction.
type Status string

// The outcomes. After [Inflated] and [Empty] the caller sets Input.FailedBefore the
// next time, since trying again soon does not help.
const (
	Compacted        Status = "compacted"
	ContentTruncated Status = "content_truncated" // no summary, but shorter tool results
	Noop             Status = "noop"              // short enough already, or impossible to shorten
	Inflated         Status = "inflated"          // the summary is longer than what it would replace
	Empty            Status = "empty"             // the model wrote no summary
	Failed           Status = "failed"            // the request to the model failed
)

// Size estimates the tokens of a request with these messages.
func (in Input) Size(messages []model.Message) int64 {
	return in.Ratio.Scale(in.Around + model.MessagesTokens(messages))
}

// Due reports whether the conversation is long enough to be compacted.
func Due(in Input) bool {
	share := in.Threshold
	if share == 0 {
		share = DefaultThreshold
	}
	return len(in.Messages) > 0 && (in.Forced || float64(in.Size(in.Messages)) >= share*float64(in.Limit))
}

// Run compacts a conversation if it is [Due]. It asks the named model of g for a
// summary, and then to check that summary. An error means that a request failed
// ([Failed]) or that ctx ended; the conversation is unchanged then.
func Run(ctx context.Context, g model.Generator, name string, in Input) (Result, error) {
	size := in.Size(in.Messages)
	r := Result{Status: Noop, Before: size, After: size}
	if !Due(in) {
		return r, nil
	}
	if in.NewID == nil {
		in.NewID = model.NewCallID
	}
	short, cuts := trim(in.Messages, in.answers(), in.Save)
	at := split(short, 1-kept)
	if at == 0 || in.FailedBefore && !in.Forced {
		return in.truncated(r, short, cuts), nil
	}

	a := author{g, name, in}
	text, err := a.summary(ctx, in.Messages[:at], short[:at])
	var e *model.Error
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case errors.As(err, &e) && e.Kind == model.Overflow: // the older part alone is too long
		if cut := in.truncated(r, short, cuts); cut.Status != Noop {
			return cut, nil
		}
		r.Status = Failed
		return r, fmt.Errorf("summarize the conversation: %w", err)
	case err == nil && text == "", errors.As(err, &e) && e.Kind == model.Empty:
		return in.without(r, Empty, short, cuts), nil
	case err != nil:
		r.Status = Failed
		return r, fmt.Errorf("summarize the conversation: %w", err)
	}

	summary := model.Text{Text: summaryText(text, inProgress(short, at))}
	staying, fitted := in.fitLimit(short[at:], cuts, in.Around+model.PartTokens(summary))
	messages := stitch(in.NewID(), append(slices.Clone(in.Preface), summary), staying)
	if r.After = in.Size(messages); r.After > size {
		return in.without(r, Inflated, short, cuts), nil
	}
	r.Status, r.Messages, r.Summary, r.Kept = Compacted, messages, summary.Text, at
	r.Cut = slices.DeleteFunc(fitted, func(c transcript.Cut) bool { return !answered(staying, c.CallID) })
	return r, nil
}

// truncated returns a result without a summary: with shorter tool results, if there are any.
func (in Input) truncated(r Result, short []model.Message, cuts []transcript.Cut) Result {
	short, cuts = in.fitLimit(short, cuts, in.Around)
	if after := in.Size(short); after < r.Before {
		r.Status, r.Messages, r.Cut, r.After = ContentTruncated, short, cuts, after
	}
	return r
}

// without returns the result when there is no useful summary, for the reason why. A
// conversation that does not fit the model as it is gets shorter tool results.
func (in Input) without(r Result, why Status, short []model.Message, cuts []transcript.Cut) Result {
	if r.Before > in.Limit {
		if c := in.truncated(r, short, cuts); c.Status == ContentTruncated && c.After <= in.Limit {
			return c
		}
	}
	r.Status = why
	return r
}

// acknowledged is the model's answer to a summary that is followed by a message of
// the user's.
const acknowledged = "I have read the summary and will continue from there."

// stitch puts a summary in front of messages, as a message of the user's, so that
// roles alternate.
func stitch(id string, summary []model.Part, rest []model.Message) []model.Message {
	out := []model.Message{{ID: id, Role: model.User, Parts: summary}}
	if len(rest) == 0 || rest[0].Role == model.User {
		out = append(out, model.Message{ID: id + "/read", Role: model.Model, Parts: []model.Part{model.Text{Text: acknowledged}}})
	}
	return append(out, rest...)
}

// answered reports whether messages contain the result of a call.
func answered(messages []model.Message, callID string) bool {
	return slices.ContainsFunc(messages, func(m model.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p model.Part) bool {
			r, ok := p.(model.Result)
			return ok && r.CallID == callID
		})
	})
}
