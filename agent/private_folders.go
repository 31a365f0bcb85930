package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/private"
)

// dropFolders deletes what is stored beside the log of a session that is not open.
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
	return errors.Join(append(errs, a.dropRecord(id))...)
}

// dropRecord deletes what a front end keeps of a session.
func (a *Agent) dropRecord(id string) error {
	if a.Options.Records == "" {
		return nil
	}
	err := os.Remove(filepath.Join(a.Options.Records, id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
