package model

import (
	"crypto/rand"
	"strings"
)

// NewCallID gives an ID for a [Call], unique in any session. Generators use it
// for every call that they yield.
func NewCallID() string { return "call_" + strings.ToLower(rand.Text()[:20]) }
