package apikeys_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/apikeys"
)

func TestVariables(t *testing.T) {
	if got := apikeys.Variables("vertex", "anthropic"); !slices.Equal(got, []string{"GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}) {
		t.Errorf("got %v", got)
	}
	if got := apikeys.Variables("gemini", "vertex"); !slices.Equal(got, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}) {
		t.Errorf("got %v", got)
	}
	if got := apikeys.Variables(""); got != nil {
		t.Errorf("a provider of the user's has %v", got)
	}
}

// The pages name every variable.
func TestPagesNameEveryVariable(t *testing.T) {
	for _, page := range []string{"../../docs/models.md", "../../docs/protocol.md"} {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range apikeys.Variables() {
			if !strings.Contains(string(b), "`"+v+"`") {
				t.Errorf("%s does not name %s", page, v)
			}
		}
	}
}
