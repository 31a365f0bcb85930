package tools

import (
	"strings"
	"testing"
)

// testKey looks like a private key, but is not one.
const testKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nneedle\n-----END OPENSSH PRIVATE KEY-----\n"

func TestPrivateKeyInAnyFile(t *testing.T) {
	w := newWorld(t, map[string]string{"notes.txt": "mine:\n" + testKey, "main.go": "package main // needle\n"})
	w.open("typed.txt", testKey)
	for _, name := range []string{"notes.txt", "typed.txt"} {
		a, err := w.prepare(ReadFile, `{"file_path":"`+name+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := a.Effect.(Reads); !ok || !e.Key {
			t.Errorf("reading %s has the effect %+v", name, a.Effect)
		}
	}
	want := "Found 1 match for needle in 1 file in DIR:\n---\nFile: main.go\nL1: package main // needle\n---\n(not searched, may hold secrets: notes.txt, typed.txt)\n"
	if got := w.text(w.call(GrepSearch, `{"pattern":"needle"}`)); got != want {
		t.Errorf("the search says %q", got)
	}
	w.editing()
	got := w.text(w.call(Replace, `{"file_path":"notes.txt","instruction":"x","old_string":"needles AAAA","new_string":"x"}`))
	if strings.Contains(got, "AAAAAAAA") {
		t.Errorf("the refusal quotes the key: %q", got)
	}
}

func TestGlobSkipsSecrets(t *testing.T) {
	w := newWorld(t, map[string]string{".env": "", "a.txt": "", ".kube/config": "", "k/server.pem": ""})
	got := w.text(w.call(Glob, `{"pattern":"**"}`))
	if !strings.Contains(got, "Found 1 file that matches") || !strings.Contains(got, "(left out, may hold secrets: .env, .kube/config, k/server.pem)\n") {
		t.Errorf("it says %q", got)
	}
	got = w.text(w.call(Glob, `{"pattern":"config","dir_path":".kube"}`))
	if !strings.HasPrefix(got, "No file matches") || !strings.HasSuffix(got, "(left out, may hold secrets: .kube/config)\n") {
		t.Errorf("it says %q", got)
	}
}
