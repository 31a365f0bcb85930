package state

import (
	"errors"
	"os"
	"path/filepath"
)

// DeleteStored deletes what the folders of o have of a session that is not open. Its ID
// is valid as a file name, and its log is not there.
func (o Options) DeleteStored(id string) error {
	errs := []error{o.Checkpoints.Delete(id)}
	for _, all := range []string{o.OutputDir, o.PlansDir} {
		if all != "" {
			errs = append(errs, os.RemoveAll(filepath.Join(all, id)))
		}
	}
	return errors.Join(append(errs, o.DeleteRecord(id))...)
}

// DeleteRecord deletes the record that a front end keeps of a session, if it has one.
func (o Options) DeleteRecord(id string) error {
	if o.RecordsDir == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(o.RecordsDir, id+".json"))
}
