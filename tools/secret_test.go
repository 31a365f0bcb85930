package tools

import (
	"strings"
	"testing"
)

func TestLooksSecret(t *testing.T) {
	cases := map[string]bool{
		"/w/.env":                  true,
		"/w/a/.env.local":          true,
		"/w/.ENV":                  true,
		"/w/.env-production":       true,
		"/w/.env.example":          false,
		"/w/.env.local.sample":     false,
		"/w/.environment.go":       false,
		"/w/env.go":                false,
		"/w/server.pem":            true,
		"/w/SERVER.PEM":            true,
		"/w/tls.key":               true,
		"/w/key.go":                false,
		"/w/id_rsa":                true,
		"/w/id_rsa.old":            true,
		"/w/id_ed25519":            true,
		"/w/id_rsa.pub":            false,
		"/w/id_card.go":            false,
		"/home/u/.ssh/config":      true,
		"/home/u/.ssh/work.pub":    false,
		"/home/u/.aws/credentials": true,
		"/home/u/.kube/config":     true,
		"/w/config":                false,
		"/w/.npmrc":                true,
		"/w/credentials.json":      true,
		"/w/credentials.go":        false,
		"/w/secrets.yaml":          true,
		"/w/secret.go":             false,
		"/w/main.go":               false,
		"/w/.env.":                 true,
		"/w/.env:x":                true,
		"/w/.e\u200cnv":            true,
		"/w/\uff0eenv":             true,
		"/w/infra/a.tfstate":       true,
		"/w/terraform.tfvars.json": true,
		"/w/kubeconfig":            true,
		"/home/u/.kube/cache/x":    true,
		"/home/u/.bash_history":    true,
		"/c/emendo/keys":           true,
		"/w/keys":                  false,
		"/w/gcloud/main.go":        false,
		"/w/auth.json":             false,
		"/w/shadow":                false,
		"/w/history.go":            false,
		"":                         false,
	}
	for path, want := range cases {
		if got := LooksSecret(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func TestHoldsKey(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a key":                     {testKey, true},
		"one behind other text":     {"config:\n" + testKey, true},
		"with CRLF":                 {strings.ReplaceAll(testKey, "\n", "\r\n"), true},
		"indented":                  {strings.ReplaceAll(testKey, "\n", "\n    "), true},
		"in a string":               {`"` + strings.ReplaceAll(testKey, "\n", `\n`) + `"`, true},
		"an encrypted one":          {"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n" + strings.Repeat("Ab0+", 16), true},
		"the name of the form":      {`strings.Contains(s, "-----BEGIN RSA PRIVATE KEY-----") // and more words behind it`, false},
		"a public key":              {strings.ReplaceAll(testKey, "PRIVATE", "PUBLIC"), false},
		"a certificate":             {strings.ReplaceAll(testKey, "OPENSSH PRIVATE KEY", "CERTIFICATE"), false},
		"a key that is not written": {"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n", false},
		"nothing":                   {"", false},
	} {
		if got := HoldsKey([]byte(c.text)); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// testKey has the form of a private key, and is none.
const testKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nneedle\n-----END OPENSSH PRIVATE KEY-----\n"

func TestAKeyIsFoundInAFileOfAnyName(t *testing.T) {
	w := newWorld(t, map[string]string{"notes.txt": "mine:\n" + testKey, "main.go": "package main // needle\n"})
	w.open("typed.txt", testKey)
	for _, name := range []string{"notes.txt", "typed.txt"} {
		a, err := w.prepare(NewReadFile(), `{"file_path":"`+name+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := a.Effect.(Reads); !ok || !e.Key {
			t.Errorf("reading %s has the effect %+v", name, a.Effect)
		}
	}
	want := "Found 1 match for needle in 1 file in DIR:\n---\nFile: main.go\nL1: package main // needle\n---\n(not searched: 2 files that look as if they held secrets)\n"
	if got := w.said(w.call(NewGrepSearch(), `{"pattern":"needle"}`)); got != want {
		t.Errorf("the search says %q", got)
	}
	w.editing()
	got := w.said(w.call(NewReplace(), `{"file_path":"notes.txt","instruction":"x","old_string":"needles AAAA","new_string":"x"}`))
	if strings.Contains(got, "AAAAAAAA") {
		t.Errorf("the refusal quotes the key: %q", got)
	}
}

func TestGlobLeavesSecretsOut(t *testing.T) {
	w := newWorld(t, map[string]string{".env": "", "a.txt": "", ".kube/config": "", "k/server.pem": ""})
	got := w.said(w.call(NewGlob(), `{"pattern":"**"}`))
	if !strings.Contains(got, "Found 1 file that matches") || !strings.Contains(got, "(left out: 3 files that look as if they held secrets)\n") {
		t.Errorf("it says %q", got)
	}
	got = w.said(w.call(NewGlob(), `{"pattern":"config","dir_path":".kube"}`))
	if !strings.HasPrefix(got, "No file matches") || !strings.HasSuffix(got, "(left out: 1 file that looks as if it held secrets)\n") {
		t.Errorf("it says %q", got)
	}
}
