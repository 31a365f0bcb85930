package config

import "slices"

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
