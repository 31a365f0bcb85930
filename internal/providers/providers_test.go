package providers_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/providers"
)

func TestVariables(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   func(providers.Provider) bool
		want []string
	}{
		{"of one", providers.Named("anthropic"), []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}},
		{"each once", func(p providers.Provider) bool { return p.Catalogue == "gemini" }, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
		{"of a provider of the user's", providers.Named(""), nil},
	} {
		if got := providers.Variables(tt.of); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestServicesAreInTheOrderOfPreference(t *testing.T) {
	var got []string
	for _, p := range providers.Services() {
		got = append(got, p.Name)
	}
	if want := []string{"gemini", "openai", "anthropic"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The pages name every variable.
func TestPagesNameEveryVariable(t *testing.T) {
	for _, page := range []string{"../../docs/models.md", "../../docs/protocol.md"} {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range providers.Variables(providers.Any) {
			if !strings.Contains(string(b), "`"+v+"`") {
				t.Errorf("%s does not name %s", page, v)
			}
		}
	}
}
