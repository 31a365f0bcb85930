package network

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestRequestsStayAtTheServer(t *testing.T) {
	first := httptest.NewRequest(http.MethodGet, "https://Agents.example/a", nil)
	for to, stays := range map[string]bool{
		"https://agents.example/b": true, "https://agents.example:444/a": false, "http://agents.example/a": false, "https://example/a": false,
	} {
		err := SameServer(httptest.NewRequest(http.MethodGet, to, nil), []*http.Request{first})
		if (err == nil) != stays {
			t.Errorf("%s: %v", to, err)
		}
	}
}
