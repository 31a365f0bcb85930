package loop

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
)

// A round of up to five calls that was made five times in a row is a loop.
const (
	longestRound = 5
	rounds       = 5
)

// calls has the latest calls. Copying the value takes a snapshot.
type calls struct {
	made [longestRound * rounds]made // the latest last
	n    int                         // how many calls there were
}

type made struct {
	key  [sha256.Size]byte
	name string
}

// add records a call. If the call completes a loop, add returns the tool names of one
// round.
func (c *calls) add(name string, args json.RawMessage) (round []string, loops bool) {
	copy(c.made[:], c.made[1:])
	c.made[len(c.made)-1] = made{key(name, args), name}
	c.n = min(c.n+1, len(c.made))
	for k := 1; k <= longestRound; k++ {
		if !c.repeats(k) {
			continue
		}
		for _, m := range c.made[len(c.made)-k:] {
			round = append(round, m.name)
		}
		return round, true
	}
	return nil, false
}

// repeats reports whether the latest calls repeat one round of k calls.
func (c *calls) repeats(k int) bool {
	if c.n < k*rounds {
		return false
	}
	latest := c.made[len(c.made)-k*rounds:]
	return slices.EqualFunc(latest[k:], latest[:len(latest)-k], func(a, b made) bool { return a.key == b.key })
}

// key identifies a call. The order and spacing of arguments do not matter.
func key(name string, args json.RawMessage) [sha256.Size]byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) == nil {
		if plain, err := json.Marshal(v); err == nil {
			args = plain
		}
	}
	return sha256.Sum256(append([]byte(name+":"), args...))
}
