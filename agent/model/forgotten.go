package model

import (
	"crypto/sha256"
	"sync"
)

// maxForgotten bounds what is remembered of refused signatures.
const maxForgotten = 10_000

// Forgotten remembers signatures that a provider has refused, so that they are not sent
// again. The zero value has none. It is safe for concurrent use.
type Forgotten struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]bool
}

// Add adds signatures.
func (f *Forgotten) Add(signatures ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil || len(f.all)+len(signatures) > maxForgotten {
		f.all = map[[sha256.Size]byte]bool{}
	}
	for _, s := range signatures {
		f.all[sha256.Sum256([]byte(s))] = true
	}
}

// Has reports whether a signature was added.
func (f *Forgotten) Has(signature string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all) > 0 && f.all[sha256.Sum256([]byte(signature))]
}
