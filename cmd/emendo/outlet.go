package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
)

// allowed are the paths of the settings, absolute. h.mu is held.
func (h *holding) allowed() []string {
	var l []string
	for _, p := range h.want.Allowed {
		if rest, home := cutHome(p); home {
			p = filepath.Join(h.process.env("HOME"), rest)
		}
		if !filepath.IsAbs(p) {
			h.log.Warn("tools.sandboxAllowedPaths: a path that is not absolute is passed over", "path", p)
			continue
		}
		l = append(l, p)
	}
	return l
}

// cutHome is a path after the home folder, where it begins there.
func cutHome(p string) (rest string, home bool) {
	if p == "~" {
		return "", true
	}
	if len(p) > 1 && p[0] == '~' && os.IsPathSeparator(p[1]) {
		return p[2:], true
	}
	return p, false
}

// network is what the hosts of the settings come to.
func network(hosts []string) sandbox.Network {
	if slices.Contains(hosts, "*") {
		return sandbox.Network{All: true}
	}
	return sandbox.Network{Hosts: hosts}
}

// outlet leads out of a sandbox to hosts, and logs who was reached.
func (h *holding) outlet(ctx context.Context, socket *os.File, hosts []string, refused func(string)) {
	err := proxy.ServeFile(ctx, socket, proxy.Options{Hosts: hosts, Log: h.log, Told: func(r proxy.Request) {
		if r.Closed {
			refused(r.Host)
		}
		if r.Refused != "" {
			h.log.Info("a command was kept from a host", "host", r.Host, "port", r.Port, "why", r.Refused)
			return
		}
		h.log.Info("a command reaches a host", "host", r.Host, "port", r.Port)
	}})
	if err != nil {
		h.log.Error("commands have no way to the hosts that are open to them", "err", err)
	}
}
