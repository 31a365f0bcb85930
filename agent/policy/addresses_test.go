package policy

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

func TestRulesAboutAddresses(t *testing.T) {
	const docs = "[[rule]]\ntoolName = \"web_fetch\"\nargsPattern = '\"url\":\"https://docs\\.test/'\n"
	fetching := func(args string, urls ...string) Call {
		c := callOf(tools.Sends{URLs: urls})
		c.Tool, c.Args = fetchTool, json.RawMessage(args)
		return c
	}
	const page, evil = "https://docs.test/page", "https://evil.test/?https://docs.test/"
	for _, tt := range []struct {
		name  string
		rules string
		call  Call
		want  string
	}{
		{"one that is allowed", docs + `decision = "allow"`, fetching(`{"url":"docs.test/page"}`, page), "allow"},
		{"one in a prompt", docs + `decision = "allow"`, fetching(`{"prompt":"read https://docs.test/page"}`, page), "allow"},
		{"another with one that is allowed", docs + `decision = "allow"`, fetching(`{"prompt":"read https://docs.test/page and `+evil+`"}`, page, evil), "ask"},
		{"another that names one that is allowed", docs + `decision = "allow"`, fetching(`{"url":"`+evil+`"}`, evil), "ask"},
		{"words that name one that is allowed", docs + `decision = "allow"`, fetching(`{"prompt":"\"url\":\"https://docs.test/ `+evil+`"}`, evil), "ask"},
		{"one that is denied, with another", docs + `decision = "deny"`, fetching(`{"prompt":"`+evil+` HTTPS://docs.test:443/page"}`, evil, page), "deny"},
		{"one that is denied, as the call has it", "[[rule]]\ntoolName = \"web_fetch\"\nargsPattern = 'secret'\ndecision = \"deny\"", fetching(`{"prompt":"the secret of https://docs.test/page"}`, page), "deny"},
		{"the tool", "[[rule]]\ntoolName = \"web_fetch\"\ndecision = \"allow\"", fetching(`{"url":"`+evil+`"}`, evil), "allow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := New(rulesOf(t, "# user\n"+tt.rules), nil).Decide(tt.call); d.Kind.String() != tt.want {
				t.Errorf("%s by %s, want %s", d.Kind, d.Rule, tt.want)
			}
		})
	}
	// An answer about several addresses is about exactly these.
	both := fetching(`{"prompt":"`+page+` `+evil+`"}`, page, evil)
	answer := offered(t, Session, both).Rules
	for _, tt := range []struct {
		call Call
		want Kind
	}{{both, Allow}, {fetching(`{"url":"`+page+`"}`, page), Ask}} {
		tt.call.Answers = answer
		if d := New(nil, nil).Decide(tt.call); d.Kind != tt.want {
			t.Errorf("%s: got %s, want %s", tt.call.Args, d.Kind, tt.want)
		}
	}
}
