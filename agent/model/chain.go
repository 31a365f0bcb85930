package model

import (
	"regexp"
	"strings"
)

// Link is a model in a chain of those that may stand in for each other.
type Link struct {
	Model    string // the provider's name
	Attempts int    // requests before the next model's turn; 0: as many as ever

	// Anew has the model asked again in the next turn, though it failed for the
	// rest of this one, unless its failure says that it stays so.
	Anew bool
}

var (
	isGemini  = regexp.MustCompile(`^gemini-`)
	isGemini3 = regexp.MustCompile(`^gemini-3(\.|-|$)`)
)

// How often the models of an automatic choice are asked, as Gemini CLI does: a
// few times while there is another, and often when there is none.
const (
	strongAttempts = 3
	lastAttempts   = 10
)

// Chain gives the models to ask for a request to one, which is the first, when
// it cannot answer. auto says that the user left the choice of the model to
// emendo. A model of another provider, or one of an older Gemini that the user
// named, stands alone.
func Chain(name string, auto bool) []Link {
	bare := plain(name)
	family, ok := FamilyOf(name)
	if !ok {
		return []Link{{Model: name}}
	}
	strong, fast := Link{Model: family.Strong}, Link{Model: family.Fast, Attempts: lastAttempts}
	if auto {
		strong.Attempts, strong.Anew = strongAttempts, true
	}
	switch {
	case strings.Contains(bare, "flash-lite"):
		return []Link{{Model: name}, fast, strong}
	case !auto && !isGemini3.MatchString(bare):
		return []Link{{Model: name}}
	case strings.Contains(bare, "flash"):
		fast.Model = name
		return []Link{fast, strong}
	}
	strong.Model = name
	return []Link{strong, fast}
}
