package model

import (
	"crypto/rand"
	"strings"
)

// NewCallID returns an ID for a [Call] that is unique in any session. Generators
// use it for every call that they yield.
func NewCallID() string { return "call_" + strings.ToLower(rand.Text()[:20]) }
