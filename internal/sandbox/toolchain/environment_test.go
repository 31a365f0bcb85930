package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "bin")
	link := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(inside, link); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, name := range providers.Variables(providers.Any) {
		keys = append(keys, name+"=k")
	}
	separator := string(os.PathListSeparator)
	system := filepath.Join(t.TempDir(), "bin")
	server := []string{
		"HOME=/home/me", "LC_ALL=de_DE.UTF-8", "GOFLAGS=-mod=mod", "TERM=xterm", "PAGER=less",
		"GEMINI_API_KEY=k", "AWS_SECRET_ACCESS_KEY=k", "LD_PRELOAD=/x.so", "DYLD_INSERT_LIBRARIES=x", "GIT_DIR=/x", "BASH_ENV=/x", "BASH_FUNC_ls%%=() { rm x; }", "HTTPS_PROXY=p", "KEPT=1", "IFS=x",
		"PATH=" + strings.Join([]string{inside, "relative", "", link, system, "."}, separator),
	}
	server = append(server, keys...)
	got := Environment(server, append([]string{"KEPT"}, providers.Variables(providers.Any)...), []string{dir})
	want := append([]string{"HOME=/home/me", "GOFLAGS=-mod=mod", "KEPT=1", "PATH=" + system, "LC_ALL=de_DE.UTF-8"}, fixed...)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEmptyEnvironment(t *testing.T) {
	if got := SearchPath(Environment(nil, nil, nil)); !slices.Equal(got, usualPath) {
		t.Errorf("the search path is %q, want %q", got, usualPath)
	}
}

// A program that waits for a network that will not come back looks as if it hangs.
func TestProgramsDoNotRetryWithoutANetwork(t *testing.T) {
	for _, c := range []struct {
		network profile.Network
		want    string
	}{{profile.Network{}, "0"}, {profile.Network{Hosts: []string{"registry.npmjs.org"}}, ""}, {profile.Network{All: true}, ""}} {
		env := ConfinedEnvironment(nil, &profile.Profile{Network: c.network}, "", "")
		if got := Variable(env, "npm_config_fetch_retries"); got != c.want {
			t.Errorf("%+v: npm tries again %q times, want %q", c.network, got, c.want)
		}
	}
}
