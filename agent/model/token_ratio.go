package model

// How the ratio is learnt. ASCII code has about three characters a token, so 1.3
// times its estimate or more; Russian and Thai have half of it. A count outside of
// the bounds means that the provider counts something else, such as cached tokens
// only. Small requests say little, because the provider's own overhead is as large
// as they are.
const (
	leastRatio = 0.25
	mostRatio  = 4
	pace       = 0.3 // the weight of one count
	telling    = 200 // the smallest estimate, in tokens, that is learnt from
)

// TokenRatio is the number of tokens that the provider counts for each estimated one,
// and the last count. It belongs to one session, whose language and content it
// learns. The zero value leaves estimates as they are. Learn is not safe for
// concurrent use; copies can be read anywhere.
type TokenRatio struct {
	learnt float64

	estimated, counted int64 // of the last request that was counted; 0: none
}

// Value returns the ratio, which is 1 until something is learnt, and always from
// 0.25 to 4.
func (r TokenRatio) Value() float64 {
	if r.learnt == 0 {
		return 1
	}
	return r.learnt
}

// Learn adjusts the ratio to what the provider counted for a request. The first
// count sets it; later ones move it a part of the way, so that a single odd
// request has little effect.
func (r *TokenRatio) Learn(estimated, counted int64) {
	if estimated < telling || counted <= 0 {
		return
	}
	exact := float64(counted) / float64(estimated)
	seen := min(max(exact, leastRatio), mostRatio)
	if exact == seen {
		r.estimated, r.counted = estimated, counted
	}
	if r.learnt == 0 {
		r.learnt = seen
		return
	}
	r.learnt += pace * (seen - r.learnt)
}

// Scale returns what the provider is likely to count for a request with this
// estimate. A request that continues the last one is expected to have its count,
// plus the scaled estimate of what was added; a shorter one has a share of it.
func (r TokenRatio) Scale(estimated int64) int64 {
	switch {
	case r.counted == 0:
		return int64(float64(estimated) * r.Value())
	case estimated >= r.estimated:
		return r.counted + int64(float64(estimated-r.estimated)*r.Value())
	}
	return int64(float64(estimated) * float64(r.counted) / float64(r.estimated))
}
