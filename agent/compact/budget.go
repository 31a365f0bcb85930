package compact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tokens"
)

// What the answers of tools may take in a conversation that is compacted. The
// newest have Gemini CLI's 50,000 tokens between them. Each older one is cut to
// a tenth of what a new one may have: cut to the same size, those that were cut
// when they came would stay as they are.
const (
	answersBudget = 50_000 // tokens
	oldOutput     = DefaultOutput / 10
)

// trim cuts the answers of tools that are beyond the budget, counted from the
// newest. What cannot be saved stays whole. The messages given are not changed.
func trim(messages []model.Message, save Save) ([]model.Message, []Cut) {
	var spent int64
	return rewrite(messages, func(r model.Result) (model.Result, bool) {
		size := tokens.Part(r)
		if spent+size <= answersBudget {
			spent += size
			return r, false
		}
		short := shorten(r, save)
		spent += min(tokens.Part(short), size)
		return short, tokens.Part(short) < size
	})
}

// shorten cuts an old answer.
func shorten(r model.Result, save Save) model.Result {
	out := r
	out.Blobs, out.Output = nil, r.Output+withoutBlobs(r.Blobs)
	if !Fits(r.Output, oldOutput) {
		path, err := keep(save, r)
		if err != nil {
			return r
		}
		out.Output = Truncate(r.Output, oldOutput, Where(path, 0)) + withoutBlobs(r.Blobs)
	}
	return out
}

// withoutBlobs tells what is no longer attached to an answer.
func withoutBlobs(bs []model.Blob) string {
	if len(bs) == 0 {
		return ""
	}
	var kinds []string
	for _, b := range bs {
		kinds = append(kinds, b.MIME)
	}
	return fmt.Sprintf("\n(No longer attached, to save room: %s. Call the tool again to see it.)", strings.Join(kinds, ", "))
}

// keep saves the whole output of an answer and gives its path, which is empty
// where nothing is saved.
func keep(save Save, r model.Result) (path string, err error) {
	if save == nil {
		return "", nil
	}
	return save(FileName(r.Name, r.CallID), r.Output)
}

// rewrite gives messages in which f has replaced answers, asked from the newest
// to the oldest. Messages in which nothing is replaced are the same.
func rewrite(messages []model.Message, f func(model.Result) (model.Result, bool)) (out []model.Message, cuts []Cut) {
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
			cuts = append(cuts, Cut{r.CallID, short.Output})
		}
	}
	return out, cuts
}
