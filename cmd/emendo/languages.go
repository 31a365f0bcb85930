package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools/reach"
)

// languageServers returns the language servers that the settings allow: those of the
// user's settings first, then the known ones.
func languageServers(s settings.Settings) []langserver.Program {
	if !s.LanguageServers.Enabled {
		return nil
	}
	known := map[string]langserver.Program{}
	for _, p := range langserver.Builtin() {
		known[p.Name] = p
	}
	var own []langserver.Program
	for _, name := range slices.Sorted(maps.Keys(s.LanguageServers.Servers)) {
		set := s.LanguageServers.Servers[name]
		p, ok := known[name]
		delete(known, name)
		if set.Disabled {
			continue
		}
		if !ok {
			p.Name = name
		}
		if len(set.Command) > 0 {
			p.Name, p.Args = set.Command[0], set.Command[1:]
		}
		if len(set.Extensions) > 0 {
			p.Languages = set.Extensions
		}
		if len(set.Options) > 0 {
			text, err := json.Marshal(set.Options)
			if err != nil {
				panic(err) // it was read from JSON
			}
			p.Options, p.Config = text, text
		}
		own = append(own, p)
	}
	for _, p := range langserver.Builtin() {
		if _, ok := known[p.Name]; ok {
			own = append(own, p)
		}
	}
	return own
}

// startServer starts a language server, sandboxed like commands. It may read what
// commands may read, and write only to its own caches.
func (w wiring) startServer(ctx context.Context, l langserver.Launch) (sandbox.Process, error) {
	c := sandbox.Command{
		Argv: l.Argv, Dir: l.Folders[0], Streams: sandbox.Separate,
		Env: append(sandbox.Environment(w.process.environ, nil, l.Folders), l.Environ...),
	}
	if l.Sandboxed && (w.confined == nil || w.confined.Survey().Level == sandbox.Open) {
		return nil, errors.New("it may run programs of the project, and no sandbox is available")
	}
	if w.confined == nil {
		return sandbox.System().Start(ctx, c)
	}
	reached, err := w.confined.Reach(l.Folders, reach.Extra{Read: langserver.Reads(l.Argv[0])})
	if err != nil {
		return nil, err
	}
	profile := reached.Profile
	profile.Read, profile.Write = slices.Concat(profile.Read, profile.Write), nil
	slices.Sort(profile.Read)
	// The profile has nothing writable, so nothing in it needs protection.
	profile.Protected, profile.Kept, profile.EndIfReplaced = nil, nil, nil
	profile.Network = sandbox.Network{}
	c.Profile = &profile
	return w.confined.Start(ctx, c)
}
