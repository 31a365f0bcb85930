package toolchain

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// caches are variables that name the cache folders of tools. They point into the
// workspace's private one, so that a command cannot change what other projects build
// from.
var caches = []struct{ variable, folder string }{
	{"XDG_CACHE_HOME", "xdg"},
	{"GOCACHE", "go-build"},
	{"GOLANGCI_LINT_CACHE", "golangci-lint"},
	{"npm_config_cache", "npm"},
	{"YARN_CACHE_FOLDER", "yarn"},
	{"PIP_CACHE_DIR", "pip"},
	{"UV_CACHE_DIR", "uv"},
	{"GRADLE_USER_HOME", "gradle"},
	{"CCACHE_DIR", "ccache"},
	{"SCCACHE_DIR", "sccache"},
	{"ELECTRON_CACHE", "electron"},
	{"DENO_DIR", "deno"},
}

// proxyVariables name the proxy; programs differ in which they read.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}

// ownNames are those of the command's own machine, which are reached without the proxy.
const ownNames = "localhost,.localhost,127.0.0.1,::1,0.0.0.0"

// noRetries has programs give up at once where there is no network. By themselves they wait
// for it: npm for 70 seconds.
var noRetries = []string{"npm_config_fetch_retries=0", "npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false", "PIP_RETRIES=0", "PIP_DISABLE_PIP_VERSION_CHECK=1", "CARGO_NET_RETRY=0", "UV_HTTP_RETRIES=0"}

// ConfinedEnvironment returns env with the profile's folders in it. temp is the folder
// for temporary files and proxy the address of the outlet, as the command sees them;
// each may be empty.
func ConfinedEnvironment(env []string, p *profile.Profile, temp, proxy string) []string {
	var set []string
	if temp != "" {
		set = append(set, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
	}
	if p.SearchPath != "" {
		set = append(set, "PATH="+p.SearchPath)
	}
	if p.Cache != "" {
		for _, c := range caches {
			set = append(set, c.variable+"="+filepath.Join(p.Cache, c.folder))
		}
		if deps := filepath.Join(gradleHome(p.Home, env), "caches"); paths.Exists(deps) {
			set = append(set, "GRADLE_RO_DEP_CACHE="+deps)
		}
	}
	if proxy != "" {
		for _, name := range proxyVariables {
			set = append(set, name+"="+proxy)
		}
		set = append(set, "NO_PROXY="+ownNames, "no_proxy="+ownNames)
	}
	if p.Network.None() {
		set = append(set, noRetries...)
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return Variable(set, name) != ""
	})
	return append(kept, set...)
}

func gradleHome(home string, env []string) string {
	if f := Variable(env, "GRADLE_USER_HOME"); f != "" {
		return f
	}
	return filepath.Join(home, ".gradle")
}
