package settings

import "strings"

// LanguageServers says which language servers emendo runs by itself.
type LanguageServers struct {
	// Start language servers that are installed on this machine, in trusted folders only. See
	// [language-servers.md](language-servers.md).
	Enabled bool `default:"true" scope:"any"`
	// Additional language servers, or changes to the known ones, by program name: `{"zls":
	// {"command": ["zls"], "extensions": {".zig": "zig"}}}`. `extensions` maps file extensions to
	// LSP language IDs. `initializationOptions` is sent to the server, and `"disabled": true`
	// disables one.
	Servers LanguageServerTable `object:"an object: names to language servers"`
}

// LanguageServerTable are language servers by name.
type LanguageServerTable map[string]LanguageServer

// LanguageServer is a language server that may be installed.
type LanguageServer struct {
	Command    []string          `json:"command,omitzero"`               // the program and its arguments; empty: as known
	Extensions map[string]string `json:"extensions,omitzero"`            // of files, with their dot, to LSP's names of languages; empty: as known
	Options    map[string]any    `json:"initializationOptions,omitzero"` // empty: as known
	Disabled   bool              `json:"disabled,omitzero"`
}

// Edits says how proposed edits are checked, and what waits for them.
type Edits struct {
	// What waits for your decision about proposed edits: `turn` lets the model go on and has its
	// commands wait, `always` has each edit wait, and `never` lets commands run on the files
	// without them. It applies to editors in which you decide change by change; others are asked
	// about each edit.
	Wait EditsWait `default:"turn" scope:"any"`
	// Check edits with a language server before you see them, and show the errors that they
	// introduce. The model corrects errors of syntax first.
	Verify bool `default:"true" scope:"any"`
	// How long edits wait for that check, in milliseconds. Then they are shown unverified.
	VerifyTimeout int `key:"edits.verifyTimeoutMs" default:"1500" range:"0..60000" scope:"any"`
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

func (EditsWait) words() []string { return words(WaitTurn, WaitAlways, WaitNever) }

// check returns the first error in the servers.
func (servers LanguageServerTable) check() error {
	for name, server := range servers {
		for ext := range server.Extensions {
			if !strings.HasPrefix(ext, ".") {
				return &innerError{[]string{name, "extensions", ext}, "must begin with a dot"}
			}
		}
	}
	return nil
}
