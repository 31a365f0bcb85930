package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/internal/network/networktest"
)

// The provider is behind a proxy that signs certificates itself.
func TestAProxyThatSignsCertificates(t *testing.T) {
	w := newWorld(t)
	s := openAI(t, openaitest.Options{Models: []string{"gpt-6.2-astra"}}, openaitest.Say("Hello."), openaitest.Say("Hello."))
	lab := networktest.New(t, "Lab Proxy CA")
	proxy := lab.Proxy(map[string]http.Handler{"api.openai.com:443": s})
	w.only("OPENAI_API_KEY="+s.Key, "HTTPS_PROXY="+strings.Replace(proxy.URL, "//", "//me:the-password@", 1))
	args := []string{"-p", "hi", "-m", "openai/gpt-6.2-astra"}

	r := w.run(args...)
	r.wantCode(t, exitFailure)
	r.wantLine(t, "issued by Lab Proxy CA, is not trusted", "network.caFile")
	r = w.exec("doctor", "--online")
	for _, says := range []string{"FAIL  model", "issued by Lab Proxy CA", "→ set network.caFile", "ok    network      requests go through the proxy ", "ok    credentials  from OPENAI_API_KEY"} {
		if !strings.Contains(r.stdout, says) {
			t.Errorf("doctor does not say %q:\n%s", says, r.stdout)
		}
	}
	w.secrets(r, s.Key, "the-password")

	w.settings(`{"network.caFile": "` + lab.File() + `", "model.name": "openai/gpt-6.2-astra"}`)
	w.run(args...).wantCode(t, exitOK)
	r = w.exec("doctor", "--online")
	for _, says := range []string{"ok    model", "ok    tls          the certificate of api.openai.com is issued by Lab Proxy CA, trusted because of network.caFile", "are trusted beside those of the system"} {
		if !strings.Contains(r.stdout, says) {
			t.Errorf("doctor does not say %q:\n%s", says, r.stdout)
		}
	}
	if !slices.Contains(proxy.Seen(), "api.openai.com:443") {
		t.Errorf("the proxy has seen %q", proxy.Seen())
	}
	w.set("OPENAI_API_KEY=sk-a-wrong-key-123")
	r = w.exec("doctor", "--online", "--json")
	for _, says := range []string{"the provider rejected the credentials", "store a valid key with `emendo auth login openai`; the credentials are from OPENAI_API_KEY in the environment", `"name":"tls"`, `"name":"keyring"`} {
		if !strings.Contains(r.stdout, says) {
			t.Errorf("doctor does not say %q:\n%s", says, r.stdout)
		}
	}
}

// A gateway wants a certificate of the user's, and a header.
func TestAGatewayThatWantsACertificate(t *testing.T) {
	w := newWorld(t)
	s := openAI(t, openaitest.Options{Compatible: true, Key: "sk-the-right-key-123"}, openaitest.Say("Hello."))
	lab, people := networktest.New(t, "Lab CA"), networktest.New(t, "People CA")
	gate := lab.Serve(networktest.Host(), people, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "tools" {
			http.Error(rw, "who are you?", http.StatusForbidden)
			return
		}
		s.ServeHTTP(rw, r)
	}))
	cert, key := people.Pair(networktest.Person("me"))
	w.only("LAB_KEY=sk-the-right-key-123", "TEAM=tools")
	provider := `"model.providers": {"lab": {"baseUrl": "` + gate.URL + `/v1", "keyVariable": "LAB_KEY", "headers": {"X-Team": "$TEAM"}}}, "network.caFile": "` + lab.File() + `"`
	w.settings(`{` + provider + `}`)
	r := w.run("-p", "hi", "-m", "lab/local-model")
	r.wantCode(t, exitFailure)
	r.wantLine(t, "the server wants a certificate of the client", "network.clientCertificates")
	w.settings(`{` + provider + `, "network.clientCertificates": {"127.0.0.1": {"certificate": "` + cert + `", "key": "` + key + `"}}}`)
	w.run("-p", "hi", "-m", "lab/local-model").wantCode(t, exitOK)
	w.settings(`{` + provider + `, "network.clientCertificates": {"127.0.0.1": {"certificate": "/nonexistent/me.pem"}}}`)
	r = w.exec("doctor")
	r.wantCode(t, exitFailure)
	if !strings.Contains(r.stdout, "FAIL  network      the setting network.clientCertificates, 127.0.0.1: open /nonexistent/me.pem") {
		t.Errorf("doctor says\n%s", r.stdout)
	}
}

// identity is Google's authorization server.
type identity struct {
	t *testing.T

	mu         sync.Mutex
	challenge  string
	redirect   string
	refreshes  int
	revoked    []string
	ended      bool // refresh tokens are not valid any more
	withoutOne bool // no refresh token is issued
}

const (
	googleClient  = "123.apps.googleusercontent.com"
	googleSecret  = "GOCSPX-the-secret"
	refreshToken  = "1//the-refresh-token"
	accessToken   = "ya29.the-access-token"
	cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"
)

func (i *identity) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	refuse := func(code string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error": %q, "error_description": "because"}`, code)
	}
	if err := r.ParseForm(); err != nil {
		i.t.Error(err)
	}
	switch r.URL.Path {
	case "/token":
		if r.PostForm.Get("client_id") != googleClient || r.PostForm.Get("client_secret") != googleSecret {
			refuse("invalid_client")
			return
		}
		answer := map[string]any{"access_token": accessToken, "token_type": "Bearer", "expires_in": 3599, "scope": cloudPlatform}
		switch r.PostForm.Get("grant_type") {
		case "authorization_code":
			sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
			if r.PostForm.Get("code") != "the-code" || base64.RawURLEncoding.EncodeToString(sum[:]) != i.challenge || r.PostForm.Get("redirect_uri") != i.redirect {
				refuse("invalid_grant")
				return
			}
			if !i.withoutOne {
				answer["refresh_token"] = refreshToken
			}
		case "refresh_token":
			if i.refreshes++; r.PostForm.Get("refresh_token") != refreshToken || i.ended {
				refuse("invalid_grant")
				return
			}
		default:
			refuse("unsupported_grant_type")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			i.t.Error(err)
		}
	case "/revoke":
		i.revoked = append(i.revoked, r.PostForm.Get("token"))
	default:
		http.NotFound(w, r)
	}
}

// visit is the user in a browser, who agrees at an address, or sends what answer makes of
// the state.
func (i *identity) visit(address string, answer func(state string) url.Values) string {
	i.t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Host != "accounts.google.com" {
		i.t.Fatalf("the address is %s, %v", address, err)
	}
	q := u.Query()
	want := url.Values{"client_id": {googleClient}, "response_type": {"code"}, "scope": {cloudPlatform}, "access_type": {"offline"}, "code_challenge_method": {"S256"}}
	for name := range want {
		if q.Get(name) != want.Get(name) {
			i.t.Errorf("%s is %q, want %q", name, q.Get(name), want.Get(name))
		}
	}
	i.mu.Lock()
	i.challenge, i.redirect = q.Get("code_challenge"), q.Get("redirect_uri")
	i.mu.Unlock()
	resp, err := http.Get(i.redirect + "?" + answer(q.Get("state")).Encode())
	if err != nil {
		i.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	return string(text)
}

func agreed(state string) url.Values { return url.Values{"state": {state}, "code": {"the-code"}} }

// cloud makes a world behind a proxy with Google in it, and the user's client.
func cloud(t *testing.T, replies ...geminitest.Reply) (*world, *identity, *geminitest.Server) {
	t.Helper()
	w := newWorld(t)
	who := &identity{t: t}
	api := geminitest.Start(geminitest.Options{Token: accessToken}, replies...)
	t.Cleanup(api.Close)
	lab := networktest.New(t, "Lab Proxy CA")
	proxy := lab.Proxy(map[string]http.Handler{
		"oauth2.googleapis.com:443": who, "generativelanguage.googleapis.com:443": api, "europe-west4-aiplatform.googleapis.com:443": api,
	})
	w.only("GOOGLE_SECRET=" + googleSecret)
	w.settings(`{"network.proxy": "` + proxy.URL + `", "network.caFile": "` + lab.File() + `", "security.auth.google": {"clientId": "` + googleClient + `", "clientSecret": "$GOOGLE_SECRET"}}`)
	return w, who, api
}

func TestSignInWithGoogle(t *testing.T) {
	w, who, api := cloud(t, geminitest.Say("ok"), geminitest.Say("ok"))
	l := w.signIn("auth", "login", "google")
	if got := who.visit(l.until("https://accounts.google.com/"), agreed); !strings.Contains(got, "You can close this window") {
		t.Errorf("the browser ends at %q", got)
	}
	l.ends(exitOK, "Stored the sign-in with Google in "+filepath.Join(w.home, "state", "auth", "logins.secret"))

	r := w.run("-p", "hi", "-m", "gemini-2.5-pro", "--debug")
	r.wantCode(t, exitOK)
	w.secrets(r, refreshToken, accessToken, googleSecret)
	w.set("GOOGLE_CLOUD_PROJECT=my-project", "GOOGLE_CLOUD_LOCATION=europe-west4")
	w.run("-p", "hi", "-m", "vertex/gemini-2.5-pro").wantCode(t, exitOK)
	paths := []string{}
	for _, r := range api.Requests() {
		paths = append(paths, r.Path)
	}
	if want := []string{"/v1beta/models/gemini-2.5-pro:streamGenerateContent", "/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro:streamGenerateContent"}; !slices.Equal(paths, want) {
		t.Errorf("asked for %q", paths)
	}
	if who.refreshes != 2 {
		t.Errorf("%d refreshes", who.refreshes)
	}
	r = w.exec("auth", "status")
	for _, says := range []string{"* gemini     from your sign-in with Google, in ", "  vertex     from your sign-in with Google, in ", "  google     stored in "} {
		if !strings.Contains(r.stdout, says) {
			t.Errorf("the status does not say %q:\n%s", says, r.stdout)
		}
	}
	w.secrets(r, refreshToken, accessToken, googleSecret)

	who.ended = true
	r = w.run("-p", "hi", "-m", "gemini-2.5-pro")
	r.wantCode(t, exitAuth)
	r.wantLine(t, "the sign-in with Google has ended; run `emendo auth login google`")

	r = w.exec("auth", "logout", "google")
	r.wantCode(t, exitOK)
	if !slices.Equal(who.revoked, []string{refreshToken}) || r.stdout != "Signed out of Google, and revoked the sign-in.\n" {
		t.Errorf("revoked %q: %s", who.revoked, r.stdout)
	}
	w.run("-p", "hi", "-m", "gemini-2.5-pro").wantCode(t, exitAuth)
}

func TestSignInWithGoogleThatFails(t *testing.T) {
	refused := func(state string) url.Values { return url.Values{"state": {state}, "error": {"access_denied"}} }
	for _, c := range []struct {
		name       string
		withoutOne bool
		answer     func(state string) url.Values
		code       int
		says       string
	}{
		{name: "the user refuses", answer: refused, code: exitFailure, says: "the authorization server refuses: access_denied"},
		{name: "another code", answer: func(state string) url.Values { return url.Values{"state": {state}, "code": {"another"}} }, code: exitFailure, says: "it answered invalid_grant: because"},
		{name: "another server", answer: func(state string) url.Values {
			return url.Values{"state": {state}, "code": {"the-code"}, "iss": {"https://evil.example"}}
		}, code: exitFailure, says: "the answer is from https://evil.example"},
		{name: "no refresh token", withoutOne: true, answer: agreed, code: exitFailure, says: "no refresh token came from Google"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, who, _ := cloud(t)
			who.withoutOne = c.withoutOne
			l := w.signIn("auth", "login", "google")
			address := l.until("https://accounts.google.com/")
			if got := who.visit(address, func(string) url.Values { return agreed("guessed") }); !strings.Contains(got, "not the answer to the login that is open") {
				t.Errorf("a page that guesses gets %q", got)
			}
			who.visit(address, c.answer)
			l.ends(c.code, c.says)
			if r := w.exec("auth", "logout", "google"); r.code != exitInput {
				t.Errorf("something is stored: %s", r.stdout)
			}
		})
	}
}

// The credentials that gcloud stores for the user work for Vertex AI, through the proxy.
func TestCredentialsOfGcloud(t *testing.T) {
	w, who, api := cloud(t, geminitest.Say("ok"))
	w.put(filepath.Join(filepath.Dir(w.home), ".config", "gcloud", "application_default_credentials.json"),
		`{"type": "authorized_user", "client_id": "`+googleClient+`", "client_secret": "`+googleSecret+`", "refresh_token": "`+refreshToken+`", "quota_project_id": "my-project"}`)
	w.set("GOOGLE_CLOUD_PROJECT=my-project", "GOOGLE_CLOUD_LOCATION=europe-west4")
	t.Setenv("HOME", filepath.Dir(w.home)) // where Google's library looks
	r := w.run("-p", "hi", "-m", "vertex/gemini-2.5-pro")
	r.wantCode(t, exitOK)
	w.secrets(r, refreshToken, accessToken, googleSecret)
	if who.refreshes != 1 || len(api.Requests()) != 1 {
		t.Errorf("%d refreshes, %d requests", who.refreshes, len(api.Requests()))
	}
	if r := w.exec("auth", "status"); !strings.Contains(r.stdout, "  vertex     Google's application default credentials, for the project my-project, in ") {
		t.Errorf("the status is\n%s", r.stdout)
	}
}
