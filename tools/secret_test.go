package tools

import "testing"

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
		"":                         false,
	}
	for path, want := range cases {
		if got := LooksSecret(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
