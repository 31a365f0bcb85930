package agent

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/tokens"
	"github.com/emendo-dev/emendo/tools"
)

// fitting returns a call's output as it goes to the model: one that is too long
// is cut, and kept in a file of the session. What was read from files can be
// read again, so it is only cut where it does not fit the model any more.
func (c *call) fitting(r tools.Result, output string) string {
	t := c.turn
	s := t.session
	setting := s.agent.choices().LongOutput
	if _, read := c.action.Effect.(tools.Reads); read {
		setting = math.MaxInt32
	}
	limit, used := s.agent.o.ContextLimit(t.model), t.full()
	used += max(limit-used, 0) / 2 // the other half is for what is said next
	most := compact.Largest(setting, limit, used)
	if !compact.Fits(output, most) {
		path := ""
		if save := s.saveOutput(); save != nil {
			var err error
			full := output
			if r.Raw != "" {
				full = s.agent.o.Secrets.Known(r.Raw)
			}
			if path, err = save(compact.FileName(c.made.Name, c.made.CallID), full); err != nil {
				path = ""
				s.agent.log.Warn("long output was not kept", "session", s.id, "call", c.made.CallID, "err", err)
			}
		}
		output = compact.Truncate(output, most, compact.Where(path, r.Lost))
	}
	t.fill(t.full() + s.ratio.Scale(tokens.Text(output)))
	return output
}

// full is how many tokens the conversation takes in the model, as far as is
// known. Of calls that end side by side one may miss what another has added.
func (t *turn) full() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used
}

func (t *turn) fill(used int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used = used
}

// saveOutput keeps what is cut out of the conversation where the model can read
// it; nil: it is lost. What is kept under a name stays: what comes later under
// the same name has been cut before.
func (s *Session) saveOutput() compact.Save {
	folder, _ := s.outputFolder()
	if folder == "" {
		return nil
	}
	return func(name, text string) (string, error) {
		path := filepath.Join(folder, name)
		if fi, err := os.Lstat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
		return path, writeWhole(path, text)
	}
}

// writeWhole makes a file for this user alone, which is there with all of the
// text or not at all.
func writeWhole(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*") // mode 0600, never an existing file
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if rerr := os.Remove(f.Name()); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	return nil
}
