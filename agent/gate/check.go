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
		File        string `json:"file_path"`
		Source      string `json:"source_path"`
		Destination string `json:"destination_path"`
	}
	if json.Unmarshal(args, &named) != nil {
		return nil
	}
	for _, path := range []*string{&named.File, &named.Source, &named.Destination} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
	switch spec.Kind {
	case tools.Read, tools.Search:
		if named.File == "" {
			return tools.Reads{}
		}
		return tools.Reads{Paths: []string{named.File}}
	case tools.Edit, tools.Delete:
		return tools.Edits{Files: []ledger.Proposed{{Path: named.File}}}
	case tools.Move:
		return tools.Edits{Files: []ledger.Proposed{{Path: named.Source, NewPath: named.Destination}}}
	default: // the others do not read files before they are allowed
		return nil
	}
}
