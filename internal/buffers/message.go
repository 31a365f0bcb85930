package buffers

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// The requests that a server answers.
const (
	methodDocuments = "documents"
	methodApply     = "apply"
	methodSave      = "save"
)

// maxMessage is the limit of a message in bytes: all that an editor may have open.
const maxMessage = 1 << 30

// connection returns the options of both ends of a connection.
func connection() rpc.Options { return rpc.Options{Framing: rpc.Newline, MaxMessage: maxMessage} }

// documentsParams ask for the open documents below folders.
type documentsParams struct {
	Folders []string `json:"folders"` // absolute, links resolved
}

// documentsResult are all open documents below the folders, or nothing if they are those of
// the last answer on the connection.
type documentsResult struct {
	Same  bool       `json:"same,omitempty"`
	Saves bool       `json:"saves,omitempty"` // the editor can be asked to save
	Open  []document `json:"open,omitempty"`
}

type document struct {
	URI      string  `json:"uri"` // as the editor writes it
	Path     string  `json:"path"`
	Language string  `json:"language,omitempty"`
	Version  int32   `json:"version"`
	Unsaved  bool    `json:"unsaved,omitempty"`
	Text     *string `json:"text,omitempty"` // absent: as in the last answer
}

// applyParams ask for an edit that is made as one.
type applyParams struct {
	Label string     `json:"label"`
	Files []fileEdit `json:"files"`
}

type fileEdit struct {
	URI      string   `json:"uri"`
	Base     string   `json:"base"` // digest of the text that the edit was made from
	Splices  []splice `json:"splices,omitempty"`
	Delete   bool     `json:"delete,omitempty"`
	RenameTo string   `json:"renameTo,omitempty"`
}

type splice struct {
	A    int    `json:"a"`
	B    int    `json:"b"`
	Text string `json:"text"`
}

// applyResult tells what became of an edit.
type applyResult struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

// The outcomes of an edit.
const (
	applied = "applied" // the editor's text shows it
	refused = "refused" // nothing was changed
	unseen  = "unseen"  // see [ide.ErrUnseen]
)

type saveParams struct {
	URIs []string `json:"uris"`
}

type saveResult struct {
	Saved []string `json:"saved"`
}

// digest identifies a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
