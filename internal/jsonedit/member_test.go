package jsonedit

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestNamesComeAndGo(t *testing.T) {
	for name, tt := range map[string]struct {
		before string
		member bool
		want   string
	}{
		"into an empty file":           {"", true, "{\"skills\": {\"disabled\": [\"pdf\"]}}\n"},
		"into a list":                  {`{"skills": {"disabled": ["a"]}}`, true, `{"skills": {"disabled": ["a","pdf"]}}`},
		"beside other members":         {`{"skills": {"enabled": true}}`, true, `{"skills": {"enabled": true,"disabled":["pdf"]}}`},
		"into a key with a dot":        {`{"skills.disabled": ["a"]}`, true, `{"skills.disabled": ["a","pdf"]}`},
		"beside comments":              {"{\"skills\": {\"disabled\": [\n  \"a\", // until 2027\n  \"b\"\n]}}", true, "{\"skills\": {\"disabled\": [\n  \"a\", // until 2027\n  \"b\",\"pdf\"\n]}}"},
		"out from between comments":    {"{\"skills\": {\"disabled\": [\n  \"a\", // until 2027\n  \"pdf\",\n  \"b\" // for now\n]}}", false, "{\"skills\": {\"disabled\": [\n  \"a\", // until 2027\n  \"b\" // for now\n]}}"},
		"into a list that is null":     {`{"skills": {"disabled": null}}`, true, `{"skills": {"disabled": ["pdf"]}}`},
		"it is there":                  {`{"skills": {"disabled": ["PDF"]}}`, true, `{"skills": {"disabled": ["PDF"]}}`},
		"out of a list, in every case": {`{"skills": {"disabled": ["PDF", "a", "pdf"]}}`, false, `{"skills": {"disabled": [ "a"]}}`},
		"it is not there":              {`{}`, false, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			write(t, path, tt.before)
			if err := SetMember(path, "skills", "disabled", "pdf", tt.member, strings.EqualFold); err != nil {
				t.Fatal(err)
			}
			wantText(t, path, tt.want)
		})
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{}")
	var both sync.WaitGroup
	for _, name := range []string{"a", "b"} { // side by side none is lost
		both.Go(func() {
			if err := SetMember(path, "skills", "disabled", name, true, strings.EqualFold); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"a"`) || !strings.Contains(string(text), `"b"`) {
		t.Errorf("of two names is left %s, %v", text, err)
	}
	write(t, path, `{"skills": {"disabled": true}}`)
	if err := SetMember(path, "skills", "disabled", "pdf", true, strings.EqualFold); err == nil || !strings.Contains(err.Error(), path+": skills.disabled must be a list of names") {
		t.Errorf("no list: %v", err)
	}
	wantText(t, path, `{"skills": {"disabled": true}}`)
}
