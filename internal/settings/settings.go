// Package settings owns what can be configured: every setting is declared once,
// with its default, its meaning, its bounds and who may set it, and is read from
// layers of files, environment and flags into one unchanging value. It also
// knows in which folders emendo keeps its files.
//
// It knows nothing of what a setting does, and reads neither the environment
// nor flags itself: the process hands them in.
package settings

import (
	"runtime"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Settings are the values that hold for one project. They are made by [Load]
// and not changed afterwards; the lists are shared by all copies.
type Settings struct {
	UseWriteTodos     bool // the model is offered write_todos
	Experimental      Experimental
	ContextManagement ContextManagement
	Model             Model
	ModelConfigs      ModelConfigs
	General           General
	Tools             Tools
	LanguageServers   LanguageServers
	Companion         Companion
	Chat              Chat
	Edits             Edits
	Context           Context
	Skills            Skills
	Agents            Agents
	Extensions        Extensions
	Hooks             Hooks
	HooksConfig       HooksConfig
	MCPServers        MCPServers
	MCP               MCP
	Network           Network
	Telemetry         Telemetry
	Security          Security
}

// Telemetry says what is sent to the user's OpenTelemetry collector.
type Telemetry struct {
	Enabled, Traces, LogPrompts bool
	Endpoint                    string // a URL, or HOST:PORT; empty: on this machine
	Protocol                    string // "grpc" or "http"
	Target                      string // "local" or "gcp", which is not supported
}

// Model says which model answers, and how long it may take.
type Model struct {
	// Name is a Gemini model's name, or provider/name, or replay:FILE.
	Name string
	// Own is the name that counts without the project, if the project has set Name: it
	// does not choose the provider. Empty: the project has set none.
	Own string `json:"-"`
	// MaxSessionTurns is the number of model requests that a turn may make;
	// -1 is no limit.
	MaxSessionTurns int
	// DisableLoopDetection does not stop a model that repeats itself.
	DisableLoopDetection bool
	// SkipNextSpeakerCheck takes an answer without a call as the end of the turn.
	SkipNextSpeakerCheck bool
	Fallback             Fallback
	Routing              Routing
	// CompressionThreshold is the share of what the model takes from which a
	// conversation is summed up.
	CompressionThreshold float64
	Stream               Stream
	// Providers are the ways to providers, by name.
	Providers map[string]ModelProvider
	// Catalogue has changes to the catalogue of models, by ID.
	Catalogue map[string]jsontext.Value
	// LogText writes what is sent and answered into the log.
	LogText bool
}

// Fallback selects whether another model may replace one that cannot answer.
type Fallback string

// The values of [Fallback].
const (
	FallbackNever  Fallback = "never"
	FallbackAsk    Fallback = "ask" // ask the user; never if no user is available
	FallbackAlways Fallback = "always"
)

// Experimental has what is off by default.
type Experimental struct {
	TaskTracker bool // the model is offered the tracker's tools instead of write_todos
}

// Skills says which skills the model is offered.
type Skills struct {
	Enabled  bool
	Disabled []string // their names
}

// Agents says which agents the model can hand tasks to.
type Agents struct {
	Enabled  bool
	Disabled []string // their names
	// Tokens are the bearer tokens of remote agents by origin. $NAME means the value of
	// that variable.
	Tokens map[string]string
}

// Routing says how a model is chosen where Name leaves that open.
type Routing struct {
	// Classifier has a small model judge each prompt.
	Classifier bool
}

// Stream bounds the waits for a model's answer.
type Stream struct {
	FirstByte time.Duration // key model.stream.firstByteSeconds
	Idle      time.Duration // between chunks; key model.stream.idleSeconds
}

// General is what concerns every session.
type General struct {
	// MaxAttempts is how often one model request is tried, the first included.
	MaxAttempts int
	// DefaultApprovalMode is the mode of a new session: "default", "auto_edit"
	// or "plan".
	DefaultApprovalMode string
	SessionRetention    SessionRetention
	Plan                Planning
}

// Planning says what plan mode does beside planning.
type Planning struct {
	// ModelRouting chooses the model by it, where that is left open.
	ModelRouting bool
}

// SessionRetention says which sessions are kept.
type SessionRetention struct {
	Enabled      bool
	MaxAge       Period // since the last use; zero: any
	MaxCount     int    // zero: any
	MinRetention Period // what is younger is kept in any case
}

// Tools says what the agent may call.
type Tools struct {
	// Allowed names calls that need no question: tool names, or
	// run_shell_command(PREFIX).
	Allowed []string
	// Exclude names tools that the model is not offered.
	Exclude []string
	// Confirm names calls that always need a question, as Allowed does those
	// that need none. Key tools.confirmationRequired.
	Confirm []string
	// Core names the only tools that the model is offered; empty: all.
	Core []string
	// ApplyPatch offers the tool apply_patch to every model.
	ApplyPatch bool
	// LongOutput is how many characters of a call's output the model is given;
	// -1 is as many as there is room for. Key tools.truncateToolOutputThreshold.
	LongOutput int
	// Discovery lists and calls further tools; OfProject is the project's, which needs
	// approval.
	Discovery Discovery
	OfProject Discovery `json:"-"`
	Shell     Shell
	Sandbox   Sandbox
}

// Discovery has the commands that list and call further tools; none if List is empty.
type Discovery struct {
	List   string // key tools.discoveryCommand
	Call   string // key tools.callCommand
	Folder string `json:"-"` // of the project; empty: the user's
}

// discoveryOf returns what a layer may set.
func (t *Tools) discoveryOf(l layer) *Discovery {
	if l.origin != OfProject {
		return &t.Discovery
	}
	t.OfProject.Folder = l.dir
	return &t.OfProject
}

// Discovered returns the commands that are used: the user's if there are any.
func (t Tools) Discovered() Discovery {
	if t.Discovery.List != "" {
		return t.Discovery
	}
	return t.OfProject
}

// Sandbox says how commands are held.
type Sandbox struct {
	Use     string   // "auto", "off" or "required"; key tools.sandbox
	Allowed []string // what commands may change outside the workspace; key tools.sandboxAllowedPaths
	// Network names the hosts that commands reach, "*." and a domain for
	// all below it; "*" is all that the user reaches; key tools.sandboxNetworkAccess.
	Network []string
}

// Shell says how commands of the agent run.
type Shell struct {
	Timeout    time.Duration // in all; key tools.shell.timeoutSeconds
	Inactivity time.Duration // without output; zero: for ever; key tools.shell.inactivityTimeout
	Ask        string        // "outside" or "always"; key tools.shell.ask
	Watched    bool          // programs have a terminal to write to; key tools.shell.enableInteractiveShell
	// JobsEnd selects what is reported of commands in the background that have ended;
	// key tools.shell.backgroundCompletionBehavior.
	JobsEnd JobsEnd
}

// JobsEnd selects how the end of a background command is reported.
type JobsEnd string

// The values of [JobsEnd]. Reports are sent with the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // not at all, unless the command created protected files: then as notify
	JobsNotify JobsEnd = "notify" // with a notice
	JobsInject JobsEnd = "inject" // with a notice, and the model reads the end of the output
)

// LanguageServers says which language servers emendo runs by itself.
type LanguageServers struct {
	Enabled bool
	// Servers are further servers, or changes of the known ones, by the name of the
	// program.
	Servers map[string]LanguageServer
}

// Companion serves programs in terminals.
type Companion struct{ Enabled bool }

// Chat is about chat documents.
type Chat struct{ Folder string }

// LanguageServer is a language server that may be installed.
type LanguageServer struct {
	Command    []string          `json:"command,omitzero"`               // the program and its arguments; empty: as known
	Extensions map[string]string `json:"extensions,omitzero"`            // of files, with their dot, to LSP's names of languages; empty: as known
	Options    map[string]any    `json:"initializationOptions,omitzero"` // empty: as known
	Disabled   bool              `json:"disabled,omitzero"`
}

// Edits says how proposed edits are checked, and what waits for them.
type Edits struct {
	Wait          EditsWait
	Verify        bool // check edits before the user sees them
	VerifyTimeout int  // how long the edits of a step wait for the check, in milliseconds; key edits.verifyTimeoutMs
}

// EditsWait selects what waits for the user's decision about proposed edits, where the
// user decides hunk by hunk.
type EditsWait string

// The values of [EditsWait].
const (
	WaitTurn   EditsWait = "turn"   // commands wait for the edits of their own turn
	WaitAlways EditsWait = "always" // each edit call waits
	WaitNever  EditsWait = "never"  // nothing waits
)

// Context is what the model may be shown.
type Context struct {
	// FileNames are names of further context files, without folders.
	FileNames []string // key context.fileName
	// IncludeDirectoryTree shows the model a tree of the workspace.
	IncludeDirectoryTree bool
	FileFiltering        FileFiltering
	// IncludeDirectories are folders beside the project's, as written.
	IncludeDirectories []string
}

// FileFiltering selects the ignore files that searches and listings respect.
type FileFiltering struct {
	RespectGitIgnore    bool
	RespectGeminiIgnore bool // .geminiignore and .emendoignore
}

// ContextManagement says how a conversation is kept short.
type ContextManagement struct {
	Tools struct{ OutputMasking OutputMasking }
}

// OutputMasking says which old answers of tools are masked.
type OutputMasking struct {
	Protected     int  // tokens of the newest answers that stay; key protectionThresholdTokens
	Prunable      int  // tokens of older ones from which masking is worth it; key minPrunableThresholdTokens
	ProtectLatest bool // the answers of the last step stay in any case; key protectLatestTurn
}

// Security is how the user proves who they are, and what is kept from commands.
type Security struct {
	Auth Auth
	// NoAlways says that no answer to a question lasts; key
	// security.disableAlwaysAllow.
	NoAlways bool
	// KeptVariables are names of further variables that commands get; key
	// security.environmentVariableRedaction.allowed.
	KeptVariables []string
}

// Auth chooses among credentials.
type Auth struct {
	// SelectedType is how to sign in; empty takes the first credential found.
	SelectedType string
	Google       Google
}

// Defaults returns the settings of someone who configured nothing.
func Defaults() Settings {
	var s Settings
	for _, d := range declared {
		if runtime.GOOS == "darwin" && d.onMac != nil {
			d.initial = d.onMac
		}
		d.assign(&s, d.initial)
	}
	return s
}
