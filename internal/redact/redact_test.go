package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/emendo-dev/emendo/internal/redact"
)

// canary has every character that an encoding escapes.
const canary = `AIza"c+n/a=r<y>&\key%20é`

func TestKnownInEveryEncoding(t *testing.T) {
	r := redact.New(redact.Secret{Name: "KEY", Value: canary})
	inJSON, err := json.Marshal("the key is " + canary)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(inJSON))
	if err != nil {
		t.Fatal(err)
	}
	var plainJSON bytes.Buffer
	e := json.NewEncoder(&plainJSON)
	e.SetEscapeHTML(false)
	if err := e.Encode(canary); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain":                    "x" + canary + "y",
		"twice":                    canary + canary,
		"quoted":                   fmt.Sprintf("%q", canary),
		"JSON":                     string(inJSON),
		"JSON in JSON":             string(twice),
		"JSON as editors write":    plainJSON.String(),
		"a query":                  "https://host/?key=" + url.QueryEscape(canary) + "&x=y",
		"a path":                   "https://host/" + url.PathEscape(canary) + "/x",
		"a query in lower case":    "AIza%22c%2bn%2fa%3dr%3cy%3e%26%5ckey%2520%c3%a9",
		"base 64":                  base64.StdEncoding.EncodeToString([]byte(canary)),
		"base 64 with a name":      base64.StdEncoding.EncodeToString([]byte("user:" + canary)),
		"base 64 with a long one":  base64.URLEncoding.EncodeToString([]byte("user12:" + canary + ":x")),
		"JSON with slashes hidden": strings.ReplaceAll(strings.TrimSpace(plainJSON.String()), "/", `\/`),
		"a path in lower case":     "https://host/AIza%22c+n%2fa=r%3cy%3e&%5ckey%2520%c3%a9/x",
		"hexadecimal, capitals":    strings.ToUpper(hex.EncodeToString([]byte(canary))),
		"hexadecimal":              hex.EncodeToString([]byte(canary)),
	} {
		t.Run(name, func(t *testing.T) {
			got := r.Known(text)
			if !strings.Contains(got, "[KEY]") || holds(got, canary) {
				t.Errorf("%q became %q", text, got)
			}
			if piece := r.Piece(text); holds(piece, canary) {
				t.Errorf("as a piece %q became %q", text, piece)
			}
		})
	}
}

// holds reports whether a text contains a secret in a reversible encoding.
func holds(text, secret string) bool {
	if strings.Contains(text, secret) {
		return true
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		if b, err := e.DecodeString(text); err == nil && strings.Contains(string(b), secret) {
			return true
		}
	}
	u, err := url.QueryUnescape(text)
	return err == nil && strings.Contains(u, secret)
}

func TestOtherTextStays(t *testing.T) {
	r := redact.New(redact.Secret{Name: "KEY", Value: canary}, redact.Secret{Name: "SHORT", Value: "short"})
	if err := quick.Check(func(s string) bool { return strings.Contains(s, canary) || r.Known(s) == s }, nil); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"a short value":     "short and sweet",
		"a hash":            "commit 3af63bb2c9d1e0f4a5b6c7d8e9f00112233445566",
		"a sum":             "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"an id":             "session 550e8400-e29b-41d4-a716-446655440000",
		"a count of tokens": "totalTokens: 12345678, cachedTokens=00000000",
		"a token of a text": "token := lexer.Next1Token2()",
		"a word":            "the secret: everything_is_fine",
		"a path":            "credentials: /home/u1/x2/y3/z4",
		"a variable":        "password=$DB_PASSWORD_1A2b",
		"an address":        "https://host:8080/path?page=2#key",
		"a mail":            "mailto:someone@example.org",
		"a bearer of news":  "the bearer came",
		"a public key":      "-----BEGIN PUBLIC KEY-----",
		"nothing":           "",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
}

func TestCodeStays(t *testing.T) {
	r := redact.New()
	files, err := filepath.Glob("../../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../../go.sum", "../../go.mod", "../../ARCHITECTURE.md")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if got := r.Text(line); got != line && !strings.HasSuffix(f, "_test.go") {
				t.Errorf("%s: %q became %q", f, line, got)
			}
		}
	}
	if len(files) < 100 {
		t.Errorf("only %d files were looked at", len(files))
	}
}

func TestLikelySecretsAreHidden(t *testing.T) {
	r := redact.New()
	const body = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2"
	for name, c := range map[string]struct{ text, secret string }{
		"a private key":              {"x\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----\ny", "b3BlbnNzaC1r"},
		"a cut private key":          {"-----BEGIN RSA PRIVATE KEY-----\nb3BlbnNzaC1r", "b3BlbnNzaC1r"},
		"a forge's token":            {"remote: ghp_" + body, body},
		"another forge's":            {"glpat-" + body, body},
		"Google's key":               {"x AIzaSy" + body[:33], body[:33]},
		"Google's token":             {"ya29." + body, body},
		"Amazon's key":               {"AKIAABCDEFGHIJKLMNOP", "ABCDEFGHIJKLMNOP"},
		"a web token":                {"eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT4", "SflKxwRJSMeKKF2QT4"},
		"a payment key":              {"sk_live_" + body[:24], body[:24]},
		"a model's key":              {"sk-ant-api03-" + body, body},
		"a chat's token":             {"xoxb-1234567890-" + body, body},
		"an address with a password": {"postgres://user:hunter2secret@host/db", "hunter2secret"},
		"a bearer":                   {"Authorization: Bearer " + body, body},
		"a header":                   {"X-Goog-Api-Key: abcdef-ghijkl", "abcdef-ghijkl"},
		"headers as Go prints":       {"map[Authorization:[Basic dXNlcjpwYXNz] Accept:[*/*]]", "dXNlcjpwYXNz"},
		"a query":                    {"https://h/?a=b&key=whatever&c=d", "whatever"},
		"a variable":                 {"DB_PASSWORD=aa11bb22cc", "aa11bb22cc"},
		"a member":                   {`"client_secret": "aa11-bb22-cc33"`, "aa11-bb22-cc33"},
		"a setting":                  {"api-key: 'aa11bb22cc'", "aa11bb22cc"},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.Text(c.text)
			if strings.Contains(got, c.secret) || !strings.Contains(got, "[secret]") {
				t.Errorf("%q became %q", c.text, got)
			}
			if again := r.Text(got); again != got {
				t.Errorf("%q became %q the second time", got, again)
			}
		})
	}
}

// Output of programs and servers is untrusted: it must not make Text slow.
func TestTextIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("tries the longest texts")
	}
	r := redact.New()
	for _, piece := range []string{"token", "token ", "token=", "token = ", "password=a1", "key=token:", "-----BEGIN A PRIVATE KEY-----", "bearer ", "eyJaaaaaaaa."} {
		begun := time.Now()
		r.Text(strings.Repeat(piece, 128<<10/len(piece)))
		if took := time.Since(begun); took > 20*time.Second { // it takes minutes where each name is looked at to the end of the text
			t.Errorf("%q again and again took %s", piece, took)
		}
	}
	long := strings.Repeat("aB3-", 1000)
	if got := r.Text("api_key=" + long + " x " + long); got != "api_key=[secret] x "+long {
		t.Errorf("a long one became %.100q", got)
	}
}

func TestWriterAcrossWrites(t *testing.T) {
	r := redact.New(redact.Secret{Name: "KEY", Value: canary}, redact.Secret{Name: "OTHER", Value: "aaaaaaab"})
	for name, text := range map[string]string{
		"in the middle":         "before " + canary + " after",
		"at the end":            "before " + canary,
		"an almost":             "before " + canary[:len(canary)-1],
		"an almost, then all":   canary[:7] + canary,
		"one that restarts":     "aaaaaaaaaaaab aaaaaaa",
		"one after the other":   canary + canary + "aaaaaaab" + canary,
		"nothing of the sort":   "plain text\n",
		"the beginning of both": "aaaaaaaAIz",
	} {
		t.Run(name, func(t *testing.T) {
			want := r.Known(text)
			for first := range len(text) + 1 {
				for second := first; second <= len(text); second++ {
					var b bytes.Buffer
					w := r.Writer(&b)
					for _, piece := range []string{text[:first], text[first:second], text[second:]} {
						if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
							t.Fatal(n, err)
						}
						if strings.Contains(b.String(), canary) {
							t.Fatalf("cut at %d and %d the secret is out", first, second)
						}
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					if b.String() != want {
						t.Fatalf("cut at %d and %d it became %q, want %q", first, second, b.String(), want)
					}
				}
			}
		})
	}
}

func TestPiece(t *testing.T) {
	r := redact.New(redact.Secret{Name: "KEY", Value: canary})
	for cut := redact.Shortest; cut < len(canary); cut++ {
		if got := r.Piece(canary[len(canary)-cut:] + " and more"); got != "[KEY] and more" {
			t.Errorf("the end of the secret stays: %q", got)
		}
		if got := r.Piece("more and " + canary[:cut]); got != "more and [KEY]" {
			t.Errorf("the beginning of the secret stays: %q", got)
		}
		for _, piece := range []string{canary[:cut], canary[len(canary)-cut:], canary[1 : cut+1]} {
			if got := r.Piece(piece); got != "[KEY]" {
				t.Errorf("a piece and nothing else stays: %q", got)
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	got := redact.Environment([]string{
		"GEMINI_API_KEY=plainwords", "GITHUB_TOKEN=ghp_0aB1cD2eF3gH4iJ5", "AWS_SECRET_ACCESS_KEY=wJalrXU1nFEM/K7MD0NG/bPxRf1CYEX",
		"SSH_AUTH_SOCK=/tmp/ssh-1aB2cD3eF4/agent.1", "HOME=/home/u", "TOKENIZERS_PARALLELISM=false", "XDG_SESSION_ID=1aB2cD3eF4gH5iJ6", "CREDENTIALS_DIRECTORY=/run/user/1000/creds1a2B3c", "MY_SECRET=word",
		"STRIPE_KEY=sk0aB1cD2eF3gH4iJ5", "SMTP_PASS=0aB1cD2eF3gH4iJ5", "npm_auth=0aB1cD2eF3gH4iJ5", "GPG_PASSPHRASE=0aB1cD2eF3gH4iJ5", "KEYBOARD=0aB1cD2eF3gH4iJ5", "SSH_ASKPASS=/usr/lib/1a2B3c4D5e/ask",
	})
	want := "[GEMINI_API_KEY GITHUB_TOKEN AWS_SECRET_ACCESS_KEY STRIPE_KEY SMTP_PASS npm_auth GPG_PASSPHRASE]"
	var names []string
	for _, s := range got {
		names = append(names, s.Name)
	}
	if fmt.Sprint(names) != want {
		t.Errorf("the secrets are %v, want %s", names, want)
	}
}

func TestNilRedactor(t *testing.T) {
	var r *redact.Redactor
	if got := r.Known(canary) + r.Piece(canary); got != canary+canary {
		t.Errorf("it became %q", got)
	}
	var b bytes.Buffer
	w := r.Writer(&b)
	if _, err := w.Write([]byte(canary)); err != nil || b.String() != canary {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func BenchmarkKnown(b *testing.B) {
	r := redact.New(redact.Secret{Name: "KEY", Value: "AIzaSy0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1w"}, redact.Secret{Name: "OTHER", Value: "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"})
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and then 1234 more.\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Known(text)
	}
}

func BenchmarkText(b *testing.B) {
	r := redact.New()
	const line = `time=2026-11-21T17:25:48.000Z level=INFO msg="a request was answered" session=550e8400-e29b-41d4-a716-446655440000 tokens=1234 url=https://host/v1/models`
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Text(line)
	}
}

// TestPlaceholdersAreNoSecrets: what is written where no key is needed is a word
// like others.
func TestPlaceholdersAreNoSecrets(t *testing.T) {
	for value, hidden := range map[string]bool{
		"lm-studio": false, "LM_STUDIO": false, "no-key-required": false, "sk-no-key-required": false, "not-needed": false, "your-api-key-here": false, "llama.cpp": false,
		"my-own-words": true, "sk-no-key-1": true, "correct-horse": true, "lm-studio2": true,
	} {
		text := "start " + value + " now"
		if got := redact.New(redact.Environment([]string{"OPENAI_API_KEY=" + value})...).Known(text); (got != text) != hidden {
			t.Errorf("%s: it became %q", value, got)
		}
	}
}

// TestEveryProvidersKeyIsHidden: also one that looks like ordinary words.
func TestEveryProvidersKeyIsHidden(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_AUTH_TOKEN", "OLLAMA_API_KEY", "LM_API_TOKEN", "LLAMA_API_KEY", "VLLM_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} {
		if got := redact.New(redact.Environment([]string{name + "=plainwords"})...).Known("say plainwords"); got != "say ["+name+"]" {
			t.Errorf("%s: it became %q", name, got)
		}
	}
}

// TestPasswordsInAddressesAreHidden: commands need the address, and print it.
func TestPasswordsInAddressesAreHidden(t *testing.T) {
	r := redact.New(redact.Environment([]string{
		"GOPROXY=https://me:plain-password@proxy.example/go,https://b:short@other.example|direct", "PIP_INDEX_URL=https://t0k3nAbC4d5e6f7@pypi.example/simple", "HTTPS_PROXY=http://proxy.example:8080",
	})...)
	for text, want := range map[string]string{
		"https://me:plain-password@proxy.example/go": "https://[GOPROXY]proxy.example/go",
		"it is plain-password":                       "it is [GOPROXY]",
		"https://b:short@other.example":              "https://[GOPROXY]other.example", // eight bytes with its user
		"https://t0k3nAbC4d5e6f7@pypi.example":       "https://[PIP_INDEX_URL]@pypi.example",
		"http://proxy.example:8080":                  "http://proxy.example:8080",
	} {
		if got := r.Known(text); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}
