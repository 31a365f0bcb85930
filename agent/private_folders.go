package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/private"
)

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
