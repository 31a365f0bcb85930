package catalogue

import "github.com/emendo-dev/emendo/agent/model"

// Prices are what a model's tokens cost, in US dollars for a million of them, as
// the provider publishes them for paid keys.
type Prices struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"` // of input that came from a cache; 0: not known, the same as other input
	Output float64 `json:"output"` // thoughts included
	Long   *Prices `json:"long"`   // for long prompts; nil: the same
	From   int64   `json:"from"`   // of Long: the prompts with more tokens than that; 0: longPrompt
}

// longPrompt is the number of prompt tokens above which some models cost more.
const longPrompt = 200_000

// Cost returns the tokens with an estimate of what they cost. Those of a model
// without a known price stay as they are.
func (c *Catalogue) Cost(name string, u model.Usage) model.Usage {
	m, _ := c.Find(name)
	if m.Prices == nil {
		return u
	}
	p := *m.Prices
	if l := p.Long; l != nil && (l.From == 0 && u.Input > longPrompt || l.From > 0 && u.Input > l.From) {
		p = *l
	}
	if p.Cached == 0 {
		p.Cached = p.Input
	}
	const million = 1e6
	u.Cost = (float64(u.Input-u.Cached)*p.Input + float64(u.Cached)*p.Cached + float64(u.Output+u.Thought)*p.Output) / million
	u.Priced = u.Total
	return u
}
