package view_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/view"
)

// Every error says in plain words what has gone wrong, and offers what helps: the golden file
// has what a client is sent.
func TestFailuresSayWhatHelps(t *testing.T) {
	var b strings.Builder
	for _, f := range []view.Failure{
		{Code: "auth_required", Message: "model request: no credentials for a model. Run `emendo auth login` in a terminal, or set a key"},
		{Code: "auth_required", Message: "model request: the key is refused (HTTP 401): API key not valid. Please pass a valid one."},
		{Code: "auth_required", Kind: "no_access", Message: "model request: the key may not use gemini-9 (HTTP 403)"},
		{Code: "rate_limited", Message: "model request: slow down (HTTP 429)"},
		{Code: "rate_limited", Message: "model request: slow down (HTTP 429)", RetryAfter: 40 * time.Second},
		{Code: "quota_exhausted", Message: "model request: no requests left today; it resets on 2 January at 15:04 UTC"},
		{Code: "context_overflow", Message: "model request: 1,000,001 tokens are too many"},
		{Code: "edit_conflict", Message: "the editor refused the edit"},
		{Code: "untrusted_workspace", Message: "mode yolo in /w: the folder is not trusted"},
		{Code: "denied_by_policy", Message: "it decides what emendo may do"},
		{Code: "provider_unavailable", Kind: "cut", Message: "model request: the stream broke"},
		{Code: "provider_unavailable", Kind: "not_found", Message: "model request: no model gemini-0 (HTTP 404)"},
		{Code: "provider_unavailable", Kind: "invalid", Message: "model request: bad schema (HTTP 400)"},
		{Code: "provider_unavailable", Kind: "blocked", Message: "model request: prohibited content"},
		{Code: "tls_untrusted", Message: "model request: the certificate of example.com is not trusted"},
		{Code: "unknown_session", Message: "unknown session"},
		{Code: "busy", Message: "a turn of this session is running, here or in another process"},
		{Code: "folder_gone", Message: "the session's folder no longer exists"},
		{Code: "invalid_response", Message: "the model gave no usable answer"},
		{Code: "failed", Message: "write /tmp/a\u202eb: no space left on device"},
		{Code: "failed", Message: "settings.json:3: no such setting"},
		{Code: "invalid", Message: "no such change set or hunk"},
		{Code: "internal", Message: "internal error; see the emendo log"},
		{Code: "added_later", Message: "something else"},
	} {
		text, actions := f.Describe()
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n\t%s\n", f.Code, f.Kind, raw)
		for _, a := range actions {
			fmt.Fprintf(&b, "\t%s: %s -> %s\n", a.ID, a.Title.Text, a.Steps[0].Client)
		}
	}
	compareGolden(t, filepath.Join("testdata", "failures.txt"), b.String())
}

// compareGolden compares a text with a file, which -update writes.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
