package settings

import (
	"encoding/json"
	"errors"
	"sync"
)

// A Source reads the settings of one project again and again, while its files,
// its trust and the editor's configuration change. It is safe for use by
// several goroutines.
type Source struct {
	options Options

	mu       sync.Mutex
	good     map[string]layer // the last text of each file that had no mistake
	reported map[string]bool  // problems of the last read
}

// NewSource reads the layers of o. Trusted, Editor and Configuration are passed to
// [Source.Read] instead.
func NewSource(o Options) *Source {
	return &Source{options: o, good: map[string]layer{}}
}

// Read returns the current settings, including the user settings and the configuration
// from the editor, either of which may be nil. If a file has a mistake, its previous
// content applies. news lists new mistakes for the user, one line each.
func (s *Source) Read(trusted bool, editor, configuration json.RawMessage) (now Settings, news []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.options
	o.Trusted, o.Editor, o.Configuration = trusted, editor, configuration
	now, warnings, failures := o.load(s.good)
	current := map[string]bool{}
	say := func(text string) {
		if !s.reported[text] && !current[text] {
			news = append(news, text)
		}
		current[text] = true
	}
	for _, err := range failures {
		text := err.Error()
		if e, ok := errors.AsType[*FileError](err); ok && s.good[e.File].name != "" {
			text += "; the previous settings apply until it is fixed"
		}
		say(text)
	}
	for _, w := range warnings {
		say(w.String())
	}
	s.reported = current
	return now, news
}
