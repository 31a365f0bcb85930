package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

func TestNewestModelsComeFirst(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"auto", "gemini-3.1-pro-preview gemini-2.5-pro gemini-3.8-flash"},
		{"pro", "gemini-3.1-pro-preview gemini-2.5-pro gemini-3.8-flash"},
		{"flash", "gemini-3.8-flash gemini-3.5-flash gemini-3-flash-preview"},
		{"flash-lite", "gemini-3.5-flash-lite gemini-3.1-flash-lite gemini-2.5-flash-lite"},
		{"models/auto", "gemini-3.1-pro-preview gemini-2.5-pro gemini-3.8-flash"},
		{"auto-gemini-2.5", "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite"},
		{"auto-gemini-3", "gemini-3.1-pro-preview gemini-3.8-flash gemini-3.5-flash"},
	} {
		n, ok := catalogue.Lookup(tt.name)
		if !ok {
			t.Errorf("%s is unknown", tt.name)
			continue
		}
		if got := strings.Join(n.Candidates(n.Role)[:3], " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, name := range []string{"", "gemini-2.5-pro", "Auto", "gpt"} {
		if n, ok := catalogue.Lookup(name); ok {
			t.Errorf("%q leaves the choice to emendo: %+v", name, n)
		}
	}
}

func TestChain(t *testing.T) {
	for _, tt := range []struct{ name, model, choice, want string }{
		{
			"an automatic choice", "gemini-3.1-pro-preview", "auto",
			"gemini-3.1-pro-preview?r gemini-2.5-pro? | gemini-3.8-flash? gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{
			"of one generation", "gemini-2.5-pro", "auto-gemini-2.5",
			"gemini-2.5-pro?r | gemini-2.5-flash? | gemini-2.5-flash-lite?",
		},
		{
			"those that were skipped do not come again", "gemini-3.5-flash", "flash",
			"gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.1-pro-preview? gemini-2.5-pro? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{
			"a model that the user named", "models/gemini-2.5-pro", "",
			"models/gemini-2.5-pro gemini-3.1-pro-preview? | gemini-3.8-flash? gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{
			"one that is not in the catalogue", "gemini-4-pro", "",
			"gemini-4-pro gemini-3.1-pro-preview? gemini-2.5-pro? | gemini-3.8-flash? gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{"one of another kind", "gemma-4-31b-it", "", "gemma-4-31b-it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			choice, _ := catalogue.Lookup(tt.choice)
			var got []string
			role := ""
			for i, l := range catalogue.Chain(tt.model, choice) {
				if i > 0 && l.Role != role {
					got = append(got, "|")
				}
				role = l.Role
				name := l.Model
				if l.Open {
					name += "?"
				}
				if l.Retried {
					name += "r"
				}
				got = append(got, name)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Errorf("another chain (-want +got):\n%s", d)
			}
		})
	}
}

func TestEveryModelHasARoleAndAGeneration(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range catalogue.Models() {
		g, ok := catalogue.GenerationOf(m.ID)
		if !ok || g.Name != m.Generation || m.Name == "" || seen[m.ID] {
			t.Errorf("%+v is of generation %+v", m, g)
		}
		seen[m.ID] = true
		switch m.Role {
		case catalogue.Strong, catalogue.Fast, catalogue.Small:
		default:
			t.Errorf("%s has the role %q", m.ID, m.Role)
		}
	}
	for _, n := range catalogue.Names() {
		if len(n.Candidates(n.Role)) == 0 {
			t.Errorf("nothing answers to %s", n.ID)
		}
	}
}

func TestGenerations(t *testing.T) {
	for name, want := range map[string]string{
		"gemini-3.1-pro-preview": "3", "models/gemini-3-pro": "3", "gemini-30-pro": "", "gemini-2.5-flash-001": "2.5",
		"gemini-2.0-flash": "2.0", "gemini-1.5-pro": "2.0", "gemini-pro-latest": "", "gemma-4-31b-it": "",
	} {
		if g, _ := catalogue.GenerationOf(name); g.Name != want {
			t.Errorf("%s is of generation %q, want %q", name, g.Name, want)
		}
	}
}

func TestContextLimit(t *testing.T) {
	for name, want := range map[string]int64{
		"gemini-2.5-pro": 1_048_576, "gemma-4-31b-it": 256_000, "models/gemma-4-26b-a4b-it": 256_000,
		"gemma-3-27b-it": 1_048_576, "": 1_048_576, "something/else": 1_048_576,
	} {
		if got := catalogue.ContextLimit(name); got != want {
			t.Errorf("ContextLimit(%q) = %d, want %d", name, got, want)
		}
	}
}

func ExampleName_Candidates() {
	flash, _ := catalogue.Lookup("flash")
	fmt.Println(flash.Candidates(catalogue.Fast)[0])
	// Output: gemini-3.8-flash
}
