package config

import (
	"slices"

	"github.com/emendo-dev/emendo/internal/settings"
)

// An Owner is whose definition of an agent brings servers.
type Owner struct {
	File string // that defines the agent
	// Own: it is the user's in emendo's own folder of settings.
	Own bool
	// User: it is the user's.
	User bool
	// Project is the folder with the definition, if it is the project's; Extension the
	// name of the extension that has it, and Home the extension's folder if the user
	// installed it.
	Project, Extension, Home string
}

// OfAgent returns the servers that the definition of an agent brings, sorted by name.
// folder is the session's, where they start.
func OfAgent(servers settings.MCPServers, folder string, of Owner) (l []Server) {
	l = within(servers, of.Project, folder)
	for i := range l {
		s := &l[i]
		s.File, s.Own, s.Trust = of.File, of.Own, s.Trust && of.User
		s.Extension, s.Home = of.Extension, of.Home
	}
	return l
}

// Admits returns those of an agent's servers that the settings do not exclude and
// whose names no server of the session has, and why the others are left out.
func (l List) Admits(servers []Server) (admitted []Server, problems []string) {
	for _, s := range servers {
		switch i := slices.IndexFunc(l.Servers, func(have Server) bool { return have.Name == s.Name && have.HiddenBy == "" }); {
		case i >= 0:
			problems = append(problems, s.File+": the server "+s.Name+" is not started, since "+l.Servers[i].File+" has one of that name")
		case l.selects(s.Name):
			admitted = append(admitted, l.freed(s))
		default:
			problems = append(problems, s.File+": the server "+s.Name+" is excluded by the settings")
		}
	}
	return admitted, problems
}

// freed returns a server as the settings let it run: outside the sandbox if they name it.
func (l List) freed(s Server) Server {
	s.Confined = s.Confined && !slices.Contains(l.outside, s.Name)
	return s
}

// selects reports whether the settings let a server of that name start.
func (l List) selects(name string) bool {
	return !slices.Contains(l.excluded, name) && (len(l.allowed) == 0 || slices.Contains(l.allowed, name))
}
