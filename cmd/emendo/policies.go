package main

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/settings"
)

// policies reads the rules that hold where sessions work.
type policies struct {
	paths settings.Paths
	extra []string // files and folders that the command line adds to the user's
	warn  func(string)

	source policy.Source
	mu     sync.Mutex
	told   []string // what was wrong the last time
}

// answers keep what the user always allows.
func (p *policies) answers() *policy.Answers {
	return &policy.Answers{State: filepath.Join(p.paths.State, "answers"), User: filepath.Join(p.paths.Config, "policies")}
}

// rules are those for a session that works in cwd, in a workspace of these
// folders. What is wrong with their files is told once.
func (p *policies) rules(cwd string, folders []string, trusted bool) *policy.Engine {
	at := policy.Places{
		Admin: filepath.Join(p.paths.System, "policies"), User: filepath.Join(p.paths.Config, "policies"), Extra: p.extra,
		Answers: []string{p.answers().File(policy.Project, cwd)},
	}
	if trusted {
		for _, dir := range folders {
			for _, of := range []string{".gemini", ".emendo"} {
				if project := filepath.Join(dir, of, "policies"); !slices.Contains(at.Projects, project) {
					at.Projects = append(at.Projects, project)
				}
			}
		}
	}
	engine, wrong := p.source.Read(at)
	p.tell(wrong)
	return engine
}

// usable says what is wrong with a file of rules that cannot be read: nothing
// begins then that nobody watches.
func (p *policies) usable(cwd string, folders []string, trusted bool) error {
	warn := p.warn
	defer func() { p.warn = warn }()
	p.warn = func(string) {}
	broken := p.rules(cwd, folders, trusted).Broken()
	p.told = nil
	if len(broken) == 0 {
		return nil
	}
	return exit{exitConfig, broken[0]}
}

// tell tells what was not wrong the last time.
func (p *policies) tell(wrong []string) {
	p.mu.Lock()
	news := slices.DeleteFunc(slices.Clone(wrong), func(s string) bool { return slices.Contains(p.told, s) })
	p.told = wrong
	p.mu.Unlock()
	for _, text := range news {
		p.warn(text)
	}
}
