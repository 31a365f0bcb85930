package outward_test

import (
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
)

// A server of this machine is not the network: what it says can only have come from here.
func TestRemoteParts(t *testing.T) {
	for command, remote := range map[string]bool{
		"curl localhost:3000":                                             false,
		"curl -s 'http://127.0.0.1:8080/api?x=1' | jq .":                  false,
		`curl -sS -X POST -H 'A: b' -d '{"a":1}' http://localhost:3000/x`: false,
		"curl -fsSLo out 'http://[::1]:3000/'":                            false,
		"wget -qO- localhost:8000":                                        false,
		"cat </dev/tcp/localhost/80":                                      false,
		"curl --path-as-is http://127.0.0.1:8080/a/../b":                  false,
		"npm ci --offline --dry-run":                                      false,
		"npx --no-install eslint --fix src":                               false,
		"cargo install --offline --path . --root /tmp/root":               false,
		"pip install --no-index --find-links wheels x":                    false,
		"npx eslint --no-install":                                         true,
		"npm ci --prefer-offline":                                         true,
		"curl --proxy http://example.com localhost":                       true,
		"curl --proxy=http://example.com localhost":                       true,
		"curl https://example.com":                                        true,
		"curl localhost:3000 https://example.com":                         true,
		"curl http://localhost@example.com/":                              true,
		"curl http://localhost.example.com/":                              true,
		"curl -x http://example.com localhost":                            true,
		"curl --connect-to ::example.com: localhost":                      true,
		"curl --resolve localhost:80:1.2.3.4 localhost":                   true,
		"curl --url https://example.com localhost":                        true,
		"curl -K options localhost":                                       true,
		"curl $HOST":                                                      true,
		"curl":                                                            true,
		"wget -i list localhost":                                          true,
		"curl localhost:3000 </dev/tcp/example.com/80":                    true,
		"cat </dev/tcp/example.com/80":                                    true,
		"ssh localhost":                                                   true,
		"npm install":                                                     true,
		"go run example.com/x@latest":                                     true,
		"ls":                                                              false,
	} {
		a := shellcmd.Analyze(command, "/work", []string{"/work"})
		if got := slices.ContainsFunc(a.Parts, func(p shellcmd.Part) bool { return p.Remote }); got != remote {
			t.Errorf("%s: remote %v", command, got)
		}
	}
}
