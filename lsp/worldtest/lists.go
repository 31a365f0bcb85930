package worldtest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/client"
)

// settings returns the settings as they are now.
func (w *World) settings() settings.Settings {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	set := settings.Defaults()
	set.Edits.Wait, set.Edits.Verify = cmp.Or(w.EditsWait, settings.WaitAlways), false
	set.Tools.Shell.Ask = string(policy.AskOutside)
	set.Hooks = w.Hooks
	set.MCP.Excluded, set.Agents.Disabled = w.disabled[settings.DisabledServers], w.disabled[settings.DisabledAgents]
	set.Skills.Disabled, set.HooksConfig.Disabled = w.disabled[settings.DisabledSkills], w.disabled[settings.DisabledHooks]
	return set
}

// SetDisabled implements [client.Program]. The administrator of a world disables what is called
// "forbidden".
func (p program) SetDisabled(list settings.Disabling, name string, disabled bool) error {
	if name == "forbidden" && !disabled {
		return fmt.Errorf("%s stays disabled: %s of /etc/emendo/settings.json names it too; remove it there", name, list)
	}
	p.w.Mu.Lock()
	l := slices.DeleteFunc(slices.Clone(p.w.disabled[list]), func(n string) bool { return list.Equal(n, name) })
	if disabled {
		l = append(l, name)
	}
	if p.w.disabled == nil {
		p.w.disabled = map[settings.Disabling][]string{}
	}
	p.w.disabled[list] = l
	a := p.w.agent
	p.w.Mu.Unlock()
	a.Process.Renew()
	return nil
}

// Servers implements [client.Program].
func (p program) Servers([]string) client.Servers { return servers{p.w} }

// servers are the MCP servers of a world.
type servers struct{ w *World }

// List implements [client.Servers].
func (s servers) List() ([]client.MCPServer, []string) {
	set := s.w.settings()
	l := slices.Clone(s.w.Servers)
	for i := range l {
		if settings.DisabledServers.Has(&set, l[i].Name) {
			l[i].Standing, l[i].Why = client.Excluded, string(settings.DisabledServers)
		}
	}
	return l, nil
}

// SignIn implements [client.Servers].
func (s servers) SignIn(_ context.Context, name string, open func(string) error) error {
	if err := open("https://" + name + ".example/login"); err != nil {
		return err
	}
	return s.sign(name, true)
}

// SignOut implements [client.Servers].
func (s servers) SignOut(_ context.Context, name string) error { return s.sign(name, false) }

func (s servers) sign(name string, in bool) error {
	s.w.Mu.Lock()
	defer s.w.Mu.Unlock()
	i := slices.IndexFunc(s.w.Servers, func(c client.MCPServer) bool { return c.Name == name })
	s.w.Servers[i].SignedIn, s.w.Servers[i].Needs = in, !in
	return nil
}
