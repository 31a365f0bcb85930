package briefing

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/workplace"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/langserver"
)

// Briefing gathers what the model of one session is given beside the
// conversation. Its methods may be called from any goroutine.
type Briefing struct {
	o Options

	mu   sync.Mutex
	sent *editorView // what the model knows of the editor; nil: nothing
}

// New returns the briefing of a session.
func New(o Options) *Briefing { return &Briefing{o: o} }

// Options of a [Briefing]. All fields are required but where noted.
type Options struct {
	SessionID string
	Cwd       string // absolute
	Place     *workplace.Workplace
	Workspace *ide.Workspace
	Editor    ide.Editor // nil: no file is open anywhere
	// Problems returns the problems of those of the documents of which they are known
	// at once. It is asked where the editor does not report any; nil: none are known.
	Problems func(ctx context.Context, snap *ide.Snapshot, open []*ide.Document) map[ide.URI][]langserver.Diagnostic

	UserDir   string        // of the user's own context files; empty: there are none
	GeminiDir string        // of those that Gemini CLI reads too; empty: likewise
	MemoryDir string        // of saved facts; empty: nothing is saved
	Shell     func() string // names the shell that runs commands; nil: the model is not told

	// Extensions returns the extensions that the session uses; nil: there are none.
	Extensions func() []extension.Extension

	Trusted      func() bool                  // reports whether the user trusts all of the session's folders
	TrustsFolder func(folder string) bool     // reports whether the user trusts a folder
	Left         func() transcript.Exclusions // what the user excludes now
	Settings     func() Settings              // as they are now
	Now          func() time.Time
	Log          *slog.Logger
}

// Settings are the user's settings of what the model is given.
type Settings struct {
	IgnoreGit    bool     // .gitignore hides files from tools
	GitExcludes  string   // path of the user's rules for all repositories
	IgnoreEmendo bool     // .geminiignore and .emendoignore hide files from tools
	ContextNames []string // of context files; nil: memory.DefaultNames
	NoFolders    bool     // the model is not shown the tree of the workspace
}

// Ignoring returns the rules that hide files from the model.
func (s Settings) Ignoring() ignore.Options {
	return ignore.Options{NoGit: !s.IgnoreGit, NoGemini: !s.IgnoreEmendo, Global: s.GitExcludes}
}
