package tokens

// How the ratio is learnt. Code in ASCII comes to about three characters a
// token, so to 1.3 of its estimate and more, Russian or Thai to a half of it:
// what lies outside of the bounds is a provider that counts something else, such
// as what it has cached. Small requests say little, since the provider's own
// words around them weigh as much as they do.
const (
	leastRatio = 0.25
	mostRatio  = 4
	pace       = 0.3 // how far one count moves the ratio from what it was
	telling    = 200 // the estimate, in tokens, from which a count is learnt from
)

// Ratio is how many tokens the provider counts for each that is estimated, and
// its last count. It belongs to one session, whose language and content it
// learns. The zero value has learnt nothing, and takes estimates as they are. One
// goroutine at a time may learn; copies are free to be read anywhere.
type Ratio struct {
	learnt float64

	estimated, counted int64 // of the last request that was counted; 0: none was
}

// Value is the ratio: 1 until something is learnt, and from 0.25 to 4.
func (r Ratio) Value() float64 {
	if r.learnt == 0 {
		return 1
	}
	return r.learnt
}

// Learn takes in what the provider counted for a request that was estimated.
// The first count is believed; later ones move the ratio a part of the way, so
// that one odd request does not.
func (r *Ratio) Learn(estimated, counted int64) {
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

// Scale turns the estimate of a request into what the provider is likely to
// count. For a request that continues the last one that is its count, and the
// ratio for what came since; a shorter one takes its share of the count.
func (r Ratio) Scale(estimated int64) int64 {
	switch {
	case r.counted == 0:
		return int64(float64(estimated) * r.Value())
	case estimated >= r.estimated:
		return r.counted + int64(float64(estimated-r.estimated)*r.Value())
	}
	return int64(float64(estimated) * float64(r.counted) / float64(r.estimated))
}
