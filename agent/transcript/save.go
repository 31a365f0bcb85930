package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/private"
)

// save writes the log of a session that comes into being as a whole. It is there
// complete or not at all.
func (st *Store) save(start Started, rs []Record) error {
	b, err := lines(rs)
	if err != nil {
		return err
	}
	b = []byte(st.Secrets.Known(string(b)))
	path := st.Path(start)
	if err := private.Folder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("making the sessions folder: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), start.SessionID+"-*.part") // for this user alone
	if err != nil {
		return fmt.Errorf("writing a session's log: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing a session's log: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// lines are records as they stand in a log.
func lines(rs []Record) ([]byte, error) {
	var all []byte
	var last Record
	for _, r := range rs {
		b, err := r.short(last)
		if b == nil && err == nil {
			b, err = r.line()
		}
		if err != nil {
			return nil, err
		}
		all, last = append(all, b...), r.chunk()
	}
	return all, nil
}
