package briefing

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/settings"
)

// Briefing gathers the context that the model of one session gets beside the
// conversation. Its methods may be called from any goroutine.
type Briefing struct {
	o Options

	mu   sync.Mutex
	sent *editorView // the view that the model got last; nil: none
}

// New returns the briefing of a session.
func New(o Options) *Briefing { return &Briefing{o: o} }

// A Place is the folders that a session works in. Package state implements it.
type Place interface {
	// Tree returns the session's view of its folders.
	Tree() *disk.Tree
	// Roots returns the folders. The list does not change.
	Roots() []string
	// Near returns a path as the model reads it and may use it in a call.
	Near(path string) string
}

// Options of a [Briefing]. Fields are required unless noted otherwise.
type Options struct {
	SessionID string
	Cwd       string // absolute
	Place     Place
	Workspace *ide.Workspace
	Editor    ide.Editor // nil: no editor
	// Problems returns the problems of the given documents that are known at once.
	// It is called where the editor does not report any.
	Problems func(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic

	// Over returns a snapshot with the edits in place that the session has proposed and the
	// user has not decided on.
	Over func(ctx context.Context, snap *ide.Snapshot) *ide.Snapshot

	UserDir   string        // with the user's context files; empty: none
	GeminiDir string        // with those that Gemini CLI reads too; empty: none
	MemoryDir string        // with saved facts; empty: nothing is saved
	Shell     func() string // names the shell that runs commands; nil: left out

	// Extensions returns the extensions that the session uses; nil: there are none.
	Extensions func() []extension.Extension

	Trusted      func() bool                  // reports whether the user trusts all of the session's folders
	TrustsFolder func(folder string) bool     // reports whether the user trusts a folder
	Left         func() transcript.Exclusions // what the user excludes now
	Settings     func() *settings.Settings    // as they are now
	Ignoring     func() ignore.Options        // the rules that hide files from the model, as they are now
	Now          func() time.Time
	Log          *slog.Logger
}
