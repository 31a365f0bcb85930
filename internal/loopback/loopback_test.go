package loopback_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/internal/loopback"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// visit is a browser that goes to the address with these values.
func visit(t *testing.T, c *loopback.Callback, q url.Values) (status int, text string) {
	t.Helper()
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(c.Redirect + "?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestTheBrowserBringsTheAnswer(t *testing.T) {
	c, err := loopback.Listen("", "redirectUri")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !c.Reachable() || !strings.HasPrefix(c.Redirect, "http://127.0.0.1:") {
		t.Errorf("it listens on %s", c.Redirect)
	}
	for _, q := range []url.Values{
		{"state": {"guessed"}, "code": {"a"}},
		{"state": {c.State}},
		{"state": {c.State, c.State}, "code": {"a"}},
		{"code": {"a"}},
	} {
		if status, _ := visit(t, c, q); status != http.StatusBadRequest {
			t.Errorf("%v is answered %d", q, status)
		}
	}
	if status, text := visit(t, c, url.Values{"state": {c.State}, "code": {"the-code"}, "iss": {"https://a.example"}}); status != http.StatusOK || !strings.Contains(text, "close this window") {
		t.Errorf("the answer is answered %d, %s", status, text)
	}
	if _, text := visit(t, c, url.Values{"state": {c.State}, "code": {"again"}}); !strings.Contains(text, "has had its answer") {
		t.Errorf("a second answer is answered %s", text)
	}
	a, err := c.Wait(t.Context(), loopback.User{})
	if want := (loopback.Answer{Code: "the-code", Issuer: "https://a.example"}); a != want || err != nil {
		t.Errorf("it is %+v, %v", a, err)
	}
}

func TestTheUserPastesTheAnswer(t *testing.T) {
	c, err := loopback.Listen("https://elsewhere.example/callback", "redirectUri")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Reachable() {
		t.Error("the browser reaches another machine")
	}
	lines := make(chan string, 4)
	lines <- "what?"
	lines <- ""
	lines <- "https://elsewhere.example/callback?state=" + c.State + "&error=access_denied&error_description=no%1b[31m"
	var wrong []error
	_, err = c.Wait(t.Context(), loopback.User{Pasted: lines, Wrong: func(err error) { wrong = append(wrong, err) }})
	if err == nil || !strings.Contains(err.Error(), "access_denied: no") || strings.Contains(err.Error(), "\x1b") || len(wrong) != 1 {
		t.Errorf("%v, after %v", err, wrong)
	}
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := loopback.Listen("https://elsewhere.example/callback", "redirectUri")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		began := time.Now()
		if _, err := c.Wait(context.Background(), loopback.User{}); err == nil || time.Since(began) != 5*time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		enough := errors.New("enough")
		cancel(enough)
		if _, err := c.Wait(ctx, loopback.User{}); !errors.Is(err, enough) {
			t.Error(err)
		}
	})
}

func TestInvalidCallbackAddresses(t *testing.T) {
	for _, address := range []string{"callback", "http://127.0.0.1/?a=b", "http://127.0.0.1/#a", "http://127.0.0.1:99999/"} {
		if c, err := loopback.Listen(address, "oauth.redirectUri"); err == nil {
			c.Close()
			t.Errorf("it listens on %s", address)
		}
	}
}
