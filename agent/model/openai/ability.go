package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/shared"

	"github.com/emendo-dev/emendo/agent/model"
)

// Abilities describe a model as far as requests depend on it. The zero value is a
// model that does not reason and accepts everything else.
type Abilities struct {
	// Reasons means that the model reasons before it answers, and that the server
	// summarizes and encrypts its reasoning.
	Reasons bool

	// Efforts are the efforts of reasoning that the model accepts, such as "low". If
	// there are none, it is never told one.
	Efforts []string

	NoSampling bool // it refuses temperature, top_p, stop sequences and seeds
	NoFiles    bool // it cannot read PDF files
}

// efforts are all efforts of reasoning, least first, with the budget in tokens up to
// which each is chosen.
var efforts = []struct {
	name   string
	budget int32
}{
	{"none", 0},
	{"minimal", 512},
	{"low", 4_096},
	{"medium", 16_384},
	{"high", 1 << 30},
	{"xhigh", 1 << 30},
	{"max", 1 << 30},
}

func rank(effort string) int {
	for i, e := range efforts {
		if e.name == effort {
			return i
		}
	}
	return -1
}

// effort returns the effort closest to the one that c asks for, or "" to leave it to
// the model. Of two that are equally close it is the greater one.
func (a Abilities) effort(c model.Config, search bool) shared.ReasoningEffort {
	want := rank(strings.ToLower(c.ThinkingLevel))
	if want < 0 && c.ThinkingBudget != nil && *c.ThinkingBudget >= 0 {
		for i, e := range efforts {
			if want = i; *c.ThinkingBudget <= e.budget {
				break
			}
		}
	}
	if want < 0 {
		return ""
	}
	known := slices.DeleteFunc(slices.Clone(a.Efforts), func(e string) bool {
		return rank(e) < 0 || search && e == "minimal" // with which a model does not search
	})
	if len(known) == 0 {
		return ""
	}
	return shared.ReasoningEffort(slices.MinFunc(known, func(x, y string) int {
		far := func(e string) int { return 2*max(rank(e)-want, want-rank(e)) - min(max(rank(e)-want, 0), 1) }
		return cmp.Compare(far(x), far(y))
	}))
}
