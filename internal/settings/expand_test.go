package settings

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"HOME": "/home/ada", "EMPTY": "", "LOOP": "$LOOP", "OTHER": "${HOME}", "GEMINI_API_KEY": "secret", "gh_token": "secret", "SMTP_PASS": "secret"}[name]
	}
	for _, c := range []struct{ name, text, want string }{
		{"a name", "$HOME/src", "/home/ada/src"},
		{"a name in braces", "a${HOME}b", "a/home/adab"},
		{"several", "$HOME:${HOME}", "/home/ada:/home/ada"},
		{"one that is unset", "$NONE and ${NONE}", "$NONE and ${NONE}"},
		{"one that is empty", "$EMPTY", "$EMPTY"},
		{"something else for one that is unset", "${NONE:-x y}", "x y"},
		{"something else for one that is empty", "${EMPTY:-x}", "x"},
		{"nothing for one that is unset", "a${NONE:-}b", "ab"},
		{"something else for one that is set", "${HOME:-x}", "/home/ada"},
		{"one that stands for itself", "$LOOP", "$LOOP"},
		{"one that stands for another", "$OTHER", "${HOME}"},
		{"a secret", "$GEMINI_API_KEY ${gh_token} $SMTP_PASS", "$GEMINI_API_KEY ${gh_token} $SMTP_PASS"},
		{"something else for a secret", "${GEMINI_API_KEY:-none}", "none"},
		{"no names", "$ $1 ${} ${1} ${HOME $$", "$ $1 ${} ${1} ${HOME $$"},
		{"a name after a dollar", "$$HOME", "$/home/ada"},
		{"characters outside ASCII", "ä$HOMEä", "ä/home/adaä"},
	} {
		if got := expand(c.text, env); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// Variables are expanded in some layers only, with warnings.
func TestVariablesOfLayers(t *testing.T) {
	h := newHome(t)
	h.opts.Env = func(name string) string {
		return map[string]string{"MINE": "mine", "MODEL": "big", "WHEN": "later"}[name]
	}
	h.write("user", `{"model": {"name": "$MODEL"}, "tools": {"exclude": ["${MINE}", "b$MINE"]}}`)
	h.write("project", `{"context": {"fileName": "$MINE.md"}}`)
	h.opts.Editor = json.RawMessage(`{"security": {"auth": {"selectedType": "${NONE:-gateway}"}}}`)
	s, warnings, err := Load(h.opts)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if s.Model.Name != "big" || !slices.Equal(s.Tools.Exclude, []string{"mine", "bmine"}) || s.Security.Auth.SelectedType != "gateway" {
		t.Errorf("the user's variables: %q, %q, %q", s.Model.Name, s.Tools.Exclude, s.Security.Auth.SelectedType)
	}
	if !slices.Equal(s.Context.FileNames, []string{"$MINE.md"}) {
		t.Errorf("a project's variables: %q", s.Context.FileNames)
	}
	path := h.write("user", `{"model": {"fallback": "$MINE"}, "general": {"sessionRetention": {"maxAge": "${WHEN}"}}}`)
	_, _, err = Load(h.opts)
	if want := path + `:1:24: "model.fallback" must be one of never, ask, always, not "$MINE"`; err == nil || err.Error() != want {
		t.Errorf("got error %v\nwant %s", err, want)
	}
	if strings.Contains(err.Error(), `"mine"`) {
		t.Error("the error has the value of a variable")
	}
}
