package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
)

// workplace is the folders that a session works in. They grow between turns.
type workplace struct {
	mu      sync.Mutex
	roots   []string
	now     *disk.Tree
	before  []*disk.Tree    // what was read in them may still be at hand
	named   []string        // in the log, perhaps by another process
	refused map[string]bool // folders of which the user was told that they stay out
}

// add notes folders that a record names.
func (w *workplace) add(folders []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named = append(w.named, folders...)
}

// folders is the session's own view of its folders.
func (s *Session) folders() *disk.Tree {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	return s.work.now
}

// roots are the session's folders, absolute. The list does not change.
func (s *Session) roots() []string {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	return s.work.roots
}

// closeTrees closes the session's folders for good.
func (s *Session) closeTrees() error {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	err := s.work.now.Close()
	for _, t := range s.work.before {
		err = errors.Join(err, t.Close())
	}
	return err
}

// enlarge takes the folders that the user has added to the workspace into the
// session, before the turn's first step. One that is not trusted stays out of a
// trusted session, which would be restricted otherwise.
func (t *turn) enlarge() {
	s := t.session
	s.work.mu.Lock()
	wanted := append(s.work.named, t.prompt.Folders...)
	s.work.named = nil
	s.work.mu.Unlock()
	var add []string
	for _, f := range wanted {
		f = disk.RealPath(f)
		switch {
		case s.folders().Contains(f) || slices.Contains(add, f) || !isFolder(f):
		case s.Trusted() && !s.agent.o.Trusted(f):
			t.refuseFolder(f)
		default:
			add = append(add, f)
		}
	}
	if len(add) == 0 {
		return
	}
	if err := s.widenWork(add); err != nil {
		s.agent.log.Warn("folders are not added", "session", s.id, "folders", add, "err", err)
		return
	}
	t.emit(transcript.FoldersAdded{Folders: add})
}

// refuseFolder tells the user, once, that a folder is not part of the session.
func (t *turn) refuseFolder(f string) {
	w := &t.session.work
	w.mu.Lock()
	told := w.refused[f]
	if w.refused == nil {
		w.refused = map[string]bool{}
	}
	w.refused[f] = true
	w.mu.Unlock()
	if !told {
		t.emit(transcript.Notice{
			Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: "A folder is not part of this session",
			Description: fmt.Sprintf("%s is not trusted, and this session's folders are. Trust it to work there.", oneLine(f, 300)),
		})
	}
}

// widenWork opens the session's folders with some more.
func (s *Session) widenWork(add []string) error {
	roots := append(slices.Clone(s.roots()), add...)
	if err := s.agent.widen(add); err != nil {
		return err
	}
	tree, err := disk.NewTree(append(slices.Clone(s.folders().Folders()), add...))
	if err != nil {
		return fmt.Errorf("opening the folders of session %s: %w", s.id, err)
	}
	s.work.mu.Lock()
	s.work.before = append(s.work.before, s.work.now)
	s.work.now, s.work.roots = tree, roots
	s.work.mu.Unlock()
	s.mu.Lock()
	s.info.Roots = roots
	s.mu.Unlock()
	return nil
}

// foldersLine names the session's folders; it is empty where there is one.
func (s *Session) foldersLine() string {
	if roots := s.roots(); len(roots) > 1 {
		return "Workspace folders: " + strings.Join(roots, ", ")
	}
	return ""
}
