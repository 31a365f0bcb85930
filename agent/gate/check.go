package gate

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// IntendedEffect returns the effect of a call with valid arguments whose Prepare
// failed because of the state of the disk; nil for every other call. It does not
// depend on the contents of files.
func IntendedEffect(dir string, spec tools.Spec, args json.RawMessage, err error) tools.Effect {
	var te *tools.Error
	if !errors.As(err, &te) || te.Type == tools.InvalidParams || te.Type == tools.NotInWorkspace {
		return nil
	}
	var named struct {
		File string `json:"file_path"`
	}
	if json.Unmarshal(args, &named) != nil {
		return nil
	}
	if named.File != "" && !filepath.IsAbs(named.File) {
		named.File = filepath.Join(dir, named.File)
	}
	switch spec.Kind {
	case tools.Read, tools.Search:
		if named.File == "" {
			return tools.Reads{}
		}
		return tools.Reads{Paths: []string{named.File}}
	case tools.Edit:
		return tools.Edits{Files: []ledger.Proposed{{Path: named.File}}}
	default: // the others do not look at files before they are allowed
		return nil
	}
}
