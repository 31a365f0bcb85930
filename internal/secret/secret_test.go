package secret_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/secret"
)

func TestNamed(t *testing.T) {
	cases := map[string]bool{
		"/w/.env":                     true,
		"/w/a/.env.local":             true,
		"/w/.ENV":                     true,
		"/w/.env-production":          true,
		"/w/.env.example":             false,
		"/w/.env.local.sample":        false,
		"/w/.environment.go":          false,
		"/w/prod.env":                 true,
		"/w/deploy/Config.ENV":        true,
		"/w/example.env":              false,
		"/w/prod.sample.env":          false,
		"/w/template.env":             false,
		"/w/prod.environment":         false,
		"/w/env.go":                   false,
		"/w/server.pem":               true,
		"/w/SERVER.PEM":               true,
		"/w/tls.key":                  true,
		"/w/key.go":                   false,
		"/w/id_rsa":                   true,
		"/w/id_rsa.old":               true,
		"/w/id_ed25519":               true,
		"/w/id_rsa.pub":               false,
		"/w/id_card.go":               false,
		"/home/u/.ssh/config":         true,
		"/home/u/.ssh/work.pub":       false,
		"/home/u/.aws/credentials":    true,
		"/home/u/.kube/config":        true,
		"/w/config":                   false,
		"/w/.npmrc":                   true,
		"/w/credentials.json":         true,
		"/w/credentials.go":           false,
		"/w/secrets.yaml":             true,
		"/w/secret.go":                false,
		"/w/main.go":                  false,
		"/w/.env.":                    true,
		"/w/.env:x":                   true,
		"/w/.e\u200cnv":               true,
		"/w/\uff0eenv":                true,
		"/w/infra/a.tfstate":          true,
		"/w/terraform.tfvars.json":    true,
		"/w/kubeconfig":               true,
		"/home/u/.kube/cache/x":       true,
		"/home/u/.bash_history":       true,
		"/c/emendo/keys":              true,
		"/w/keys":                     false,
		"/w/gcloud/main.go":           false,
		"/w/auth.json":                true,
		"/w/locales/en/auth.json":     false,
		"/w/i18n/auth.json":           false,
		"/w/src/pt-br/auth.json":      false,
		"/w/.env~":                    true,
		"/w/#.env#":                   true,
		"/w/.#.env":                   true,
		"/w/..env.swp":                true,
		"/w/.env.swo":                 true,
		"/w/.env.~1~":                 true,
		"/w/.netrc~":                  true,
		"/w/.npmrc.bak":               true,
		"/w/.npmrc.bak2":              true,
		"/w/server.key~":              true,
		"/w/server.key.old":           true,
		"/w/id_rsa.pub~":              false,
		"/w/.env.example~":            false,
		"/w/main.go~":                 false,
		"/w/#main.go#":                false,
		"/w/.main.go.swp":             false,
		"/w/~":                        false,
		"/w/.bak":                     false,
		"/w/.dev.vars":                true,
		"/w/.dev.vars.staging":        true,
		"/w/.dev.vars.example":        false,
		"/w/kaggle.json":              true,
		"/w/service-account-key.json": true,
		"/w/.env copy":                true,
		"/w/server.key copy 2":        true,
		"/w/main.go copy":             false,
		"/w/pgpass.conf":              true,
		"/w/kubeconfig.yaml":          true,
		"/w/client_secret_1-x.apps.googleusercontent.com.json": true,
		"/w/shop-firebase-adminsdk-a1b2c-0123456789.json":      true,
		"/w/client_secret_test.go":                             false,
		"/w/shadow":                                            false,
		"/w/history.go":                                        false,
		"":                                                     false,
	}
	for path, want := range cases {
		if got := secret.Named(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// A file that is taken for a secret by mistake is kept from the model, or asked about.
func TestFewOrdinaryFilesLookLikeSecrets(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	all, wrong := 0, []string{}
	for _, tree := range []string{filepath.Join(strings.TrimSpace(string(goroot)), "src"), "/usr/lib/python3", "/usr/share/doc", "/usr/lib/node_modules"} {
		_ = filepath.WalkDir(tree, func(path string, e fs.DirEntry, err error) error { // what cannot be read or is not there is left out
			if err != nil || e.IsDir() {
				return nil //nolint:nilerr // left out
			}
			all++
			text, _ := os.ReadFile(path) // may be a link to nothing
			if rel, _ := filepath.Rel(tree, path); secret.Named(rel) && !secret.Held(rel, text) && !strings.Contains(string(text), "-----BEGIN") {
				wrong = append(wrong, path)
			}
			return nil
		})
	}
	if all < 5000 || len(wrong)*2000 > all {
		t.Errorf("%d of %d: %q", len(wrong), all, wrong)
	}
}

func TestKeysAreFoundInTexts(t *testing.T) {
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
		if got := secret.Held("x.txt", []byte(c.text)); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// testKey has the form of a private key but is not a key.
const testKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nneedle\n-----END OPENSSH PRIVATE KEY-----\n"

func TestCredentialsAreFoundInGitsSettings(t *testing.T) {
	const plain = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://git@github.com/a/b.git\n\tpushurl = git@host:a/b\n[credential]\n\thelper = store\n[user]\n\tname = a b\n"
	for _, c := range []struct {
		name, path, text string
		want             bool
	}{
		{"nothing secret", "/w/.git/config", plain, false},
		{"a token for a name", "/w/.git/config", "url = https://ghp_0123456789abcdef@github.com/a/b", true},
		{"a password", "/w/.git/config", "url = https://me:pass@host/a", true},
		{"a token and no name", "/w/.git/config", "url = https://:pass@host/a", true},
		{"a port and a path", "/w/.git/config", "url = https://host:80/a@b", false},
		{"a header", "/w/.git/config", "[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic eA==", true},
		{"a token of its own", "/w/.git/config", "[github]\n\toauth-token = abc", true},
		{"a mail server's password", "/w/.git/config", "[sendemail]\n\tsmtpPass = abc", true},
		{"a module's", "/w/.git/modules/x/config", "url = https://me:pass@host/a", true},
		{"a work tree's", "/w/.git/worktrees/x/config.worktree", "url = https://me:pass@host/a", true},
		{"a bare repository's", "/w/a.git/config", "url = https://me:pass@host/a", true},
		{"the modules' addresses", "/w/.gitmodules", "url = https://me:pass@host/a", true},
		{"another program's", "/w/app/config", "url = https://me:pass@host/a", false},
		{"a source", "/w/main.go", "password = x", false},
	} {
		if got := secret.Held(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
