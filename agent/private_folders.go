package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/private"
)

// dropFolders deletes the private folders and the checkpoints of a session that
// is not open.
func (a *Agent) dropFolders(id string) error {
	var errs []error
	if c := a.Options.Checkpoints; c != nil {
		errs = append(errs, c.Delete(id))
	}
	for _, all := range []string{a.Options.OutputDir, a.Options.PlansDir} {
		if all != "" {
			errs = append(errs, os.RemoveAll(filepath.Join(all, id)))
		}
	}
	return errors.Join(errs...)
}

// copyOutputs copies the files of a private folder, which need not exist, to
// another.
func copyOutputs(to, from string) error {
	if from == "" {
		return nil
	}
	files, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = private.Folder(to)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err == nil {
			err = private.Replace(filepath.Join(to, f.Name()), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
