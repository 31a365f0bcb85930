package subagent_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/tools"
)

func remoteFile(front string) string { return "---\n" + front + "\n---\n" }

const card = "\nagent_card_url: https://a.test/card.json"

func TestLoadRemote(t *testing.T) {
	dir := write(t, map[string]string{
		"agents/one.md":    remoteFile("kind: remote\nname: one\ndescription: Helps.\ntimeout_mins: 5" + card + "\nauth: {type: http, scheme: Bearer, token: $T}"),
		"agents/key.md":    remoteFile("kind: remote\nname: key" + card + "\nauth: {type: apiKey, key: $K}"),
		"agents/list.md":   remoteFile("- kind: remote\n  name: two\n  agent_card_url: https://b.test/c\n- kind: remote\n  name: three\n  agent_card_url: http://localhost:9/c"),
		"agents/plain.md":  remoteFile("kind: remote\nname: a\nagent_card_url: http://a.test/card.json"),
		"agents/json.md":   remoteFile("kind: remote\nname: a\nagent_card_json: '{}'"),
		"agents/card.md":   remoteFile("kind: remote\nname: five\nagent_card_json: |\n  {\"name\": \"x\", \"url\": \"https://d.test/grpc\", \"preferredTransport\": \"GRPC\",\n   \"additionalInterfaces\": [{\"transport\": \"JSONRPC\", \"url\": \"https://d.test/rpc\"}]}"),
		"agents/both.md":   remoteFile("kind: remote\nname: a\nagent_card_json: '{}'" + card),
		"agents/inner.md":  remoteFile("kind: remote\nname: a\nagent_card_json: '{\"url\": \"http://d.test/rpc\"}'"),
		"agents/extra.md":  remoteFile("kind: remote\nname: a\ntools: [read_file]" + card),
		"agents/oauth.md":  remoteFile("kind: remote\nname: a" + card + "\nauth: {type: oauth}"),
		"agents/basic.md":  remoteFile("kind: remote\nname: a" + card + "\nauth: {type: http, scheme: Basic}"),
		"agents/shell.md":  remoteFile("kind: remote\nname: a" + card + "\nauth: {type: http, scheme: Bearer, token: \"!print-token\"}"),
		"agents/mixed.md":  remoteFile("- kind: local\n  name: a"),
		"agents/time.md":   remoteFile("kind: remote\nname: a\ntimeout_mins: many" + card),
		"project/auth.md":  remoteFile("kind: remote\nname: a" + card + "\nauth: {type: http, scheme: Bearer, token: $T}"),
		"project/other.md": remoteFile("kind: remote\nname: four\ndescription: Helps.\nagent_card_url: https://c.test/c"),
	})
	set := subagent.Load(t.Context(), []definition.Folder{
		{Path: filepath.Join(dir, "agents"), Scope: definition.User}, {Path: filepath.Join(dir, "project"), Scope: definition.Project},
	}, nil)
	got := map[string]remote.Agent{}
	for _, a := range set.Agents {
		if a.Remote != nil {
			got[a.Name+": "+a.Description] = *a.Remote
		}
	}
	want := map[string]remote.Agent{
		"one: Helps.":                     {Name: "one", Card: "https://a.test/card.json", Own: true, Timeout: 5 * time.Minute, Auth: remote.Auth{Header: "Authorization", Prefix: "Bearer ", Value: "$T"}},
		"key: An agent at a.test.":        {Name: "key", Card: "https://a.test/card.json", Own: true, Timeout: 30 * time.Minute, Auth: remote.Auth{Header: "X-API-Key", Value: "$K"}},
		"two: An agent at b.test.":        {Name: "two", Card: "https://b.test/c", Own: true, Timeout: 30 * time.Minute},
		"three: An agent at localhost:9.": {Name: "three", Card: "http://localhost:9/c", Own: true, Timeout: 30 * time.Minute},
		"five: An agent at d.test.": {
			Name: "five", Card: "https://d.test/rpc", Own: true, Timeout: 30 * time.Minute,
			JSON: "{\"name\": \"x\", \"url\": \"https://d.test/grpc\", \"preferredTransport\": \"GRPC\",\n \"additionalInterfaces\": [{\"transport\": \"JSONRPC\", \"url\": \"https://d.test/rpc\"}]}",
		},
		"four: Helps.": {Name: "four", Card: "https://c.test/c", Timeout: 30 * time.Minute},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	for file, why := range map[string]string{
		"plain.md": "agent_card_url: want an https URL, or http on this machine", "json.md": "agent_card_json: not an agent card", "both.md": "agent_card_url and agent_card_json: want one of them", "inner.md": "agent_card_json: the address http://d.test/rpc: want an https URL", "extra.md": `[3:1] unknown field "tools"`, "oauth.md": `auth: the type "oauth"`, "basic.md": `auth: the scheme "Basic"`,
		"shell.md": "auth: no token or key", "mixed.md": `kind: "local" in a list`, "time.md": "timeout_mins: line 3: cannot be a string", "auth.md": "auth: only a file of the user's own",
	} {
		if all := strings.Join(set.Problems, "\n"); !strings.Contains(all, file+" defines no agent: "+why) {
			t.Errorf("no problem of %s says %q: %s", file, why, all)
		}
	}
}

func TestInvokeRemote(t *testing.T) {
	dir := write(t, map[string]string{"one.md": remoteFile("kind: remote\nname: one" + card)})
	tool := subagent.NewInvoke(subagent.Load(t.Context(), []definition.Folder{{Path: dir, Scope: definition.User}}, nil))
	if s := tool.Spec(); !strings.Contains(s.Description, "- one (remote: ") {
		t.Errorf("it is described as %s", s.Description)
	}
	env := tools.Env{Redact: func(s string) string { return strings.ReplaceAll(s, "hunter22", "[SECRET]") }}
	a, err := tool.Prepare(t.Context(), env, json.RawMessage(`{"agent_name":"one","prompt":"Tidy up."}`))
	if diff := cmp.Diff(a.Effect, tools.Effect(tools.Sends{URLs: []string{"https://a.test/card.json"}, Text: "Tidy up.", Agent: "one"})); err != nil || diff != "" {
		t.Errorf("%v, got -, want +:\n%s", err, diff)
	}
	var e *tools.Error
	if _, err := tool.Prepare(t.Context(), env, json.RawMessage(`{"agent_name":"one","prompt":"It is hunter22."}`)); !errors.As(err, &e) || !strings.Contains(e.Message, "contains a secret") {
		t.Errorf("a task with a secret: %v", err)
	}
}
