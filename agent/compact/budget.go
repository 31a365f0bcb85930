package compact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Limits of tool results in a conversation that is compacted. The newest share
// Gemini CLI's 50,000 tokens. Each older one is cut to a tenth of the limit for new
// results; with the same limit, results that were cut on arrival would not shrink.
const (
	answersBudget = 50_000 // tokens
	oldOutput     = DefaultOutput / 10
)

// answers returns how many tokens of tool results a conversation keeps whole, before the
// learned ratio: half of the limit of a small model.
func (in Input) answers() int64 {
	return min(answersBudget, int64(float64(in.Limit)/2/in.Ratio.Value()))
}

// lengths are those to which [Input.fitLimit] cuts results, in characters, one after the other.
var lengths = []int{oldOutput, leastOutput}

// fitLimit cuts the results in messages, the oldest first, until they fit the model together
// with what goes along with them, in tokens before the learned ratio. More is cut of all
// of them before the newest loses more than the last. It returns the cuts with those that
// were made before. It does not modify messages.
func (in Input) fitLimit(messages []model.Message, before []transcript.Cut, around int64) ([]model.Message, []transcript.Cut) {
	cuts, size := before, model.MessagesTokens(messages)
	for _, most := range lengths {
		for i := range messages {
			if in.Ratio.Scale(around+size) <= int64(usable*float64(in.Limit)) {
				return messages, cuts
			}
			if !model.Has[model.Result](messages[i]) {
				continue
			}
			shorter, made := rewrite(messages[i:i+1], func(r model.Result) (model.Result, bool) {
				short := shorten(r, most, in.Save)
				return short, model.PartTokens(short) < model.PartTokens(r)
			})
			if len(made) == 0 {
				continue
			}
			size += model.MessagesTokens(shorter) - model.MessagesTokens(messages[i:i+1])
			messages = slices.Concat(messages[:i], shorter, messages[i+1:])
			cuts = append(slices.DeleteFunc(slices.Clone(cuts), func(c transcript.Cut) bool {
				return slices.ContainsFunc(made, func(m transcript.Cut) bool { return m.CallID == c.CallID })
			}), made...)
		}
	}
	return messages, cuts
}

// trim cuts the tool results that exceed the budget, in tokens, counted from the newest. A
// result that cannot be saved stays whole. It does not modify messages.
func trim(messages []model.Message, budget int64, save Save) ([]model.Message, []transcript.Cut) {
	var spent int64
	return rewrite(messages, func(r model.Result) (model.Result, bool) {
		size := model.PartTokens(r)
		if spent+size <= budget {
			spent += size
			return r, false
		}
		short := shorten(r, oldOutput, save)
		spent += min(model.PartTokens(short), size)
		return short, model.PartTokens(short) < size
	})
}

// shorten cuts an old result to most characters.
func shorten(r model.Result, most int, save Save) model.Result {
	out := r
	out.Blobs, out.Output = nil, r.Output+withoutBlobs(r.Blobs)
	if !Fits(r.Output, most) {
		path, err := saveOutput(save, r)
		if err != nil {
			return r
		}
		out.Output = Truncate(r.Output, most, Where(path, 0)) + withoutBlobs(r.Blobs)
	}
	return out
}

// withoutBlobs returns a note that lists the attachments removed from a result.
func withoutBlobs(bs []model.Blob) string {
	if len(bs) == 0 {
		return ""
	}
	var kinds []string
	for _, b := range bs {
		kinds = append(kinds, b.MIME)
	}
	return fmt.Sprintf("\n(No longer attached, to save space: %s. Call the tool again to see it.)", strings.Join(kinds, ", "))
}

// saveOutput saves the whole output of a result and returns its path, which is empty if
// save is nil.
func saveOutput(save Save, r model.Result) (path string, err error) {
	if save == nil {
		return "", nil
	}
	return save(FileName(r.Name, r.CallID), r.Output)
}

// rewrite returns messages with the results that f replaces, called from the newest
// to the oldest. Messages in which it replaces nothing are shared.
func rewrite(messages []model.Message, f func(model.Result) (model.Result, bool)) (out []model.Message, cuts []transcript.Cut) {
	out = slices.Clone(messages)
	for i := len(out) - 1; i >= 0; i-- {
		own := false
		for j := len(out[i].Parts) - 1; j >= 0; j-- {
			r, ok := out[i].Parts[j].(model.Result)
			if !ok {
				continue
			}
			short, ok := f(r)
			if !ok {
				continue
			}
			if !own {
				out[i].Parts, own = slices.Clone(out[i].Parts), true
			}
			out[i].Parts[j] = short
			cuts = append(cuts, transcript.Cut{CallID: r.CallID, Output: short.Output})
		}
	}
	return out, cuts
}
