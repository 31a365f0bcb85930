package turn

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/private"
)

// tellChanged tells the user once, in the first session after an update from a version that
// asked about commands, that they run unasked now. A user without an earlier session has not
// updated, and a script reads no news: they are not told.
func (t *Turn) tellChanged() {
	s := t.session
	o := s.Agent.Options
	if o.ToldDir == "" || !s.Agent.Client.Abilities().Asks || !s.Trusted() {
		return
	}
	mark := filepath.Join(o.ToldDir, "commands-run-unasked")
	if _, err := os.Stat(mark); err == nil || !o.Unasked(s.Agent.Ask(), s.Work.Roots()) {
		return
	}
	stored, _, err := o.Store.List(transcript.Listing{})
	if err == nil {
		err = private.Folder(o.ToldDir)
	}
	var f *os.File
	if err == nil {
		f, err = private.OpenFile(mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	}
	if errors.Is(err, fs.ErrExist) {
		return // another process tells it
	}
	if err != nil {
		s.Agent.Log.Warn("note what the user was told", "err", err)
		return
	}
	_ = f.Close() // it is empty
	if !slices.ContainsFunc(stored, func(i transcript.SessionInfo) bool { return i.ID != s.SessionID }) {
		return
	}
	t.conv.Emit(transcript.Notice{
		Severity: transcript.Info, Code: transcript.NoticeChanged, Title: "Commands now run unasked in the sandbox",
		Description: "emendo asks first about what cannot be undone or has to leave the sandbox, such as git commit, the network and docker. With the setting tools.shell.ask set to always it asks about all commands but those that only read, as before.",
	})
}
