package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// machine is what works on this machine, for the whole process.
var machine surveyed

// surveyed remembers which means work. Its methods are safe for concurrent use; the
// first caller probes while others wait.
type surveyed struct {
	mu         sync.Mutex
	tried      map[string]error // results of probes, by means
	remembered []string         // means that worked in an earlier process and were not probed in this one
	read       bool
}

// survey probes the wanted means from the highest level on, up to the first that works.
func (s *surveyed) survey(wanted func(Level) bool, memory string) (found []Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.read {
		s.read, s.remembered = true, recall(memory)
	}
	for _, m := range allMeans {
		if !wanted(m.level) {
			continue
		}
		f := Finding{Level: m.level, Means: m.name, Fix: m.fix, by: m}
		err, ok := s.tried[m.name]
		if !ok && !slices.Contains(s.remembered, m.name) {
			err = m.probe()
			if s.tried == nil {
				s.tried = map[string]error{}
			}
			s.tried[m.name] = err
			if err == nil {
				remember(memory, append(s.remembered, m.name))
			}
		}
		f.Err = err
		if found = append(found, f); err == nil {
			break
		}
	}
	return found
}

// known reports whether anything has been probed or remembered.
func (s *surveyed) known() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tried) > 0 || len(s.remembered) > 0
}

// doubt forgets a means that was remembered but not probed, and reports whether it did.
// The next survey probes it.
func (s *surveyed) doubt(means, memory string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.remembered, means)
	if i < 0 {
		return false
	}
	s.remembered = slices.Delete(s.remembered, i, i+1)
	remember(memory, s.remembered)
	return true
}

// memory is the content of the file that remembers means that work. Those that do not
// are probed again, since the user may have fixed the cause.
type memory struct {
	Where string   `json:"where"` // the circumstances in which they worked
	Means []string `json:"means"`
}

// recall returns the means that worked in the same circumstances, if the file can be
// read and is about them.
func recall(file string) []string {
	where, ok := circumstances()
	if file == "" || !ok {
		return nil
	}
	text, err := os.ReadFile(file)
	var m memory
	if err != nil || json.Unmarshal(text, &m) != nil || m.Where != where {
		return nil
	}
	return m.Means
}

// remember writes which means work. On failure the next process probes again.
func remember(file string, means []string) {
	where, ok := circumstances()
	if file == "" || !ok {
		return
	}
	text, err := json.Marshal(memory{where, means})
	if err != nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".sandbox-*")
	if err != nil {
		return
	}
	_, err = temp.Write(text)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
}
