package agent

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/tools"
)

// place says how far paths of the session's folders are kept from changes.
func (s *Session) place() protect.Place {
	p := protect.Place{Tree: s.folders()}
	for _, own := range s.agent.o.Own {
		if own != "" {
			p.Own = append(p.Own, disk.RealPath(own))
		}
	}
	return p
}

// otherNames says of the files that an effect is about which have more names
// than one, through which they are reached from elsewhere.
func (s *Session) otherNames(e tools.Effect) string {
	var paths []string
	what := "what is in it may be kept elsewhere too"
	switch e := e.(type) { //nolint:gochecksumtype // the others are about no file
	case tools.Reads:
		paths = e.Paths
	case tools.Edits:
		what = "the others keep the old text"
		for _, f := range e.Files {
			paths = append(paths, f.Path)
		}
	}
	var l []string
	for _, path := range paths {
		p, err := s.folders().Resolve(path)
		if path == "" || err != nil {
			continue
		}
		if i, err := s.folders().Stat(p); err == nil && i.Mode().IsRegular() && i.Links > 1 {
			l = append(l, fmt.Sprintf("The file %s has %d names; %s.", tools.Shown(filepath.Base(path)), i.Links, what))
		}
	}
	return strings.Join(l, " ")
}
