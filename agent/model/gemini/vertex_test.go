package gemini_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// account writes the file of a service account whose tokens come from url, and
// makes it the machine's default.
func account(t *testing.T, url string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "p", "private_key_id": "1", "client_email": "e@p.iam.gserviceaccount.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": url,
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
}

// vertex returns a generator for Vertex AI at the server.
func vertex(t *testing.T, s *geminitest.Server, key string) *gemini.Generator {
	t.Helper()
	return client(t, s, func(o *gemini.Options) {
		o.Vertex, o.Project, o.Location, o.APIKey = true, "my-project", "europe-west4", key
	})
}

func TestVertexSendsTheDefaultCredentials(t *testing.T) {
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Connection", "close")
		io.WriteString(w, `{"access_token":"a-token","token_type":"Bearer","expires_in":3600}`) //nolint:errcheck // the client tells
	}))
	defer tokens.Close()
	account(t, tokens.URL)
	cited := geminitest.Text("ok")
	cited.Citations = []geminitest.Citation{{Title: "Go", URI: "https://go.dev"}}
	s := geminitest.Start(geminitest.Options{Token: "a-token"}, geminitest.Do(cited))
	defer s.Close()
	a, err := collect(t.Context(), vertex(t, s, ""), ask("gemini-2.5-pro", "hi"))
	if err != nil || a.text() != "ok" || len(a.Citations) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if got, want := s.Requests()[0].Path, "/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro:streamGenerateContent"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
}

func TestVertexWithAKey(t *testing.T) {
	s := geminitest.New(t, geminitest.Say("ok"))
	if a, err := collect(t.Context(), vertex(t, s, s.Key), ask("gemini-2.5-pro", "hi")); err != nil || a.text() != "ok" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestVertexWithoutCredentials(t *testing.T) {
	s := geminitest.New(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	_, err := collect(t.Context(), vertex(t, s, ""), ask("gemini-2.5-pro", "hi"))
	wantError(t, err, model.Auth)
}

func TestVertexWithRejectedTokens(t *testing.T) {
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
	}))
	defer tokens.Close()
	account(t, tokens.URL)
	s := geminitest.New(t)
	_, err := collect(t.Context(), vertex(t, s, ""), ask("gemini-2.5-pro", "hi"))
	wantError(t, err, model.Auth)
}
