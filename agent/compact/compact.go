// Package compact makes a long conversation short enough to go on: it has a
// model sum up the older part, cuts old answers of tools and masks them. It
// works on messages and gives new ones; it knows no session and keeps nothing,
// except that what it takes out is handed to whoever saves it.
package compact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tokens"
)

// DefaultThreshold is the share of the model's limit from which a conversation
// is compacted, the default of Gemini CLI's model.compressionThreshold.
const DefaultThreshold = 0.5

// kept is the share of the conversation, in tokens, that stays as it is.
const kept = 0.3

// Input is a conversation and what to do with it.
type Input struct {
	// Messages are curated: the user begins, roles alternate, each call is
	// answered by the message after it.
	Messages []model.Message
	// Preface begins the new conversation, such as where and when it takes
	// place. What the old one began with goes with it.
	Preface []model.Part

	Limit     int64         // of the model, in tokens
	Around    int64         // the estimate of what goes along: system prompt and tools
	Ratio     tokens.Ratio  // as learnt in this session
	Count     *tokens.Cache // of this session; nil: none
	Threshold float64       // share of Limit; 0: DefaultThreshold

	Forced       bool   // whatever the size: the user asks for it, or the provider found it too long
	FailedBefore bool   // the last compaction made nothing shorter: no model is asked, unless Forced
	Focus        string // what the user wants kept above all
	Plan         string // path of the plan that the user approved

	Save  Save          // keeps what is cut out; nil: it is lost
	NewID func() string // of messages; nil: the model package's ids
}

// Save stores a text under a name that shows where it is from, and returns the path
// where the model can read it. The same name may come again with the same text.
type Save func(name, text string) (path string, err error)

// Result is what came of it.
type Result struct {
	Status Status
	// Messages are the new conversation, with [Compacted] and
	// [ContentTruncated]; they fulfil what Input.Messages do.
	Messages []model.Message
	Summary  string // what stands for the older part; with Compacted
	Kept     int    // the first message of the input that stays; with Compacted
	Cut      []Cut  // answers in Messages that are not what they were
	// Before and After are the size of a request by the same estimate, scaled
	// by the learnt ratio, in tokens.
	Before, After int64
	Usage         model.Usage // what the summary cost
}

// Cut is the answer to a call, made shorter: what it now reads, without what
// was attached to it.
type Cut struct{ CallID, Output string }

// Status says what became of a conversation.
type Status string

// What became of it. After [Inflated] and [Empty] nothing is gained by trying
// again soon: Input.FailedBefore says so the next time.
const (
	Compacted        Status = "compacted"
	ContentTruncated Status = "content_truncated" // no summary; old answers of tools are shorter
	Noop             Status = "noop"              // it is short enough, or cannot be shorter
	Inflated         Status = "inflated"          // the summary is longer than what it stands for
	Empty            Status = "empty"             // the model summed nothing up
	Failed           Status = "failed"            // the model could not be asked
)

// Size is how many tokens a request with these messages takes.
func (in Input) Size(messages []model.Message) int64 {
	return in.Ratio.Scale(in.Around + in.Count.Messages(messages))
}

// Due reports whether the conversation is long enough to be compacted.
func Due(in Input) bool {
	share := in.Threshold
	if share == 0 {
		share = DefaultThreshold
	}
	return len(in.Messages) > 0 && (in.Forced || float64(in.Size(in.Messages)) >= share*float64(in.Limit))
}

// Run compacts a conversation when it is due. The model of that name, behind g,
// is asked for a summary, and to check it. An error means that it could not be
// asked ([Failed]) or that ctx ended; the conversation then stays as it is.
func Run(ctx context.Context, g model.Generator, name string, in Input) (Result, error) {
	size := in.Size(in.Messages)
	r := Result{Status: Noop, Before: size, After: size}
	if !Due(in) {
		return r, nil
	}
	if in.NewID == nil {
		in.NewID = model.NewCallID
	}
	short, cuts := trim(in.Messages, in.Save)
	at := split(short, 1-kept)
	if at == 0 || in.FailedBefore && !in.Forced {
		if after := in.Size(short); after < size {
			r.Status, r.Messages, r.Cut, r.After = ContentTruncated, short, cuts, after
		}
		return r, nil
	}

	a := author{g: g, name: name, in: in}
	text, err := a.summary(ctx, in.Messages[:at], short[:at])
	r.Usage = a.usage
	var e *model.Error
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case err == nil && text == "", errors.As(err, &e) && e.Kind == model.Empty:
		r.Status = Empty
		return r, nil
	case errors.As(err, &e) && e.Kind == model.Overflow && in.Size(short) < size: // the older part alone is too long
		r.Status, r.Messages, r.Cut, r.After = ContentTruncated, short, cuts, in.Size(short)
		return r, nil
	case err != nil:
		r.Status = Failed
		return r, fmt.Errorf("summing up the conversation: %w", err)
	}

	summary := model.Text{Text: told(text, inProgress(short, at))}
	messages := stitch(in.NewID(), append(slices.Clone(in.Preface), summary), short[at:])
	if r.After = in.Size(messages); r.After > size {
		r.Status = Inflated
		return r, nil
	}
	r.Status, r.Messages, r.Summary, r.Kept = Compacted, messages, summary.Text, at
	r.Cut = slices.DeleteFunc(cuts, func(c Cut) bool { return !answered(short[at:], c.CallID) })
	return r, nil
}

// acknowledged is what the model is taken to have said to a summary, where the
// user speaks next.
const acknowledged = "I have read the summary and go on from there."

// stitch puts a summary in front of messages, as the user's words. Whoever
// speaks first in them, roles alternate.
func stitch(id string, summary []model.Part, rest []model.Message) []model.Message {
	out := []model.Message{{ID: id, Role: model.User, Parts: summary}}
	if len(rest) == 0 || rest[0].Role == model.User {
		out = append(out, model.Message{ID: id + "/read", Role: model.Model, Parts: []model.Part{model.Text{Text: acknowledged}}})
	}
	return append(out, rest...)
}

// answered reports whether messages have the result of a call.
func answered(messages []model.Message, callID string) bool {
	return slices.ContainsFunc(messages, func(m model.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p model.Part) bool {
			r, ok := p.(model.Result)
			return ok && r.CallID == callID
		})
	})
}
