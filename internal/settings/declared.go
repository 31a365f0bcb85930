package settings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A scope says which layers may set a setting.
type scope int

const (
	// anyone is every layer, a trusted project's files included.
	anyone scope = iota
	// user keeps the project's files out: what decides over authority,
	// endpoints and credentials is not for a repository to say.
	user
)

func (s scope) String() string {
	if s == user {
		return "user"
	}
	return "any"
}

// A setting is one declared key. Its kind follows from what field points at.
type setting struct {
	key   string
	doc   string // sentences for docs/settings.md
	scope scope
	field func(*Settings) any // *string, *int, *bool, *[]string, *Period, or *time.Duration, which is written as whole seconds
	// initial is the default: a string, int, bool or []string.
	initial any

	oneOf       []string // the only strings, when not empty
	least, most int      // bounds of a number, both included
	single      bool     // one string may stand for a list of it
	joined      bool     // a list that adds to those of weaker layers instead of replacing them
}

// maxSeconds bounds every wait: one day.
const maxSeconds = 24 * 60 * 60

// declared is every setting there is, in the order of docs/settings.md.
var declared = []setting{
	{
		key:     "model.name",
		doc:     "The model that answers: a Gemini model's name, or `provider/name`, or `replay:FILE` for recorded answers.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Name },
		initial: "gemini-2.5-pro",
	},
	{
		key:     "model.maxSessionTurns",
		doc:     "How many model requests one turn may make before it is ended; -1 is no limit.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.MaxSessionTurns },
		initial: -1, least: -1, most: math.MaxInt32,
	},
	{
		key:     "model.disableLoopDetection",
		doc:     "Let a model repeat the same calls or words as often as it likes, where it would be told so once and then stopped.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.DisableLoopDetection },
		initial: false,
	},
	{
		key:     "model.fallback",
		doc:     "What to do when the model has no quota left or is overloaded: go on with a smaller one `always`, `never`, or `ask`. Headless, `ask` is `never`.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Fallback },
		initial: "ask", oneOf: []string{"never", "ask", "always"},
	},
	{
		key:     "model.stream.firstByteSeconds",
		doc:     "How long to wait for the beginning of an answer before the request is given up and tried again.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Stream.FirstByte },
		initial: 300, least: 1, most: maxSeconds,
	},
	{
		key:     "model.stream.idleSeconds",
		doc:     "How long an answer may stand still before it is given up and tried again.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Stream.Idle },
		initial: 120, least: 1, most: maxSeconds,
	},
	{
		key:     "general.maxAttempts",
		doc:     "How often one model request is tried, the first time included.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.General.MaxAttempts },
		initial: 5, least: 1, most: 100,
	},
	{
		key:     "general.defaultApprovalMode",
		doc:     "The mode of a new session: `default` asks before anything is changed or run, `auto_edit` applies edits at once, `plan` only reads.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.DefaultApprovalMode },
		initial: "default", oneOf: []string{"default", "auto_edit", "plan"},
	},
	{
		key:     "general.sessionRetention.enabled",
		doc:     "Whether old sessions are deleted.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.Enabled },
		initial: true,
	},
	{
		key:     "general.sessionRetention.maxAge",
		doc:     "How long a session is kept after its last use, or its import; empty is for ever. Shorter than `minRetention`, nothing is deleted.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MaxAge },
		initial: "30d",
	},
	{
		key:     "general.sessionRetention.maxCount",
		doc:     "How many sessions are kept, those used last; 0 is any number.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MaxCount },
		initial: 0, least: 0, most: math.MaxInt32,
	},
	{
		key:     "general.sessionRetention.minRetention",
		doc:     "How long a session is kept in any case.",
		scope:   user,
		field:   func(s *Settings) any { return &s.General.SessionRetention.MinRetention },
		initial: "1d",
	},
	{
		key:     "tools.allowed",
		doc:     "Calls that are made without a question: names of tools, or `run_shell_command(PREFIX)` for the commands that begin with PREFIX.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Allowed },
		initial: []string{},
	},
	{
		key:     "tools.exclude",
		doc:     "Tools that the model is not offered. Every layer adds to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Exclude },
		initial: []string{}, joined: true,
	},
	{
		key:     "tools.shell.timeoutSeconds",
		doc:     "How long a command may run before it is killed.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Timeout },
		initial: 600, least: 1, most: maxSeconds,
	},
	{
		key:     "tools.shell.inactivityTimeout",
		doc:     "How many seconds a command may print nothing before it is killed.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Inactivity },
		initial: 120, least: 1, most: maxSeconds,
	},
	{
		key:     "context.fileName",
		doc:     "Names of files that tell the model how work is done, beside `AGENTS.md` and `GEMINI.md`; one string may stand for a list of it. Every layer adds to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileNames },
		initial: []string{}, joined: true, single: true,
	},
	{
		key:     "context.includeDirectoryTree",
		doc:     "Whether the model is shown a tree of a trusted workspace, of at most 200 files and folders, when a session begins.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.IncludeDirectoryTree },
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGitIgnore",
		doc:     "Whether searches and listings leave out what `.gitignore` names.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileFiltering.RespectGitIgnore },
		initial: true,
	},
	{
		key:     "context.fileFiltering.respectGeminiIgnore",
		doc:     "Whether searches and listings leave out what `.geminiignore` and `.emendoignore` name.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.FileFiltering.RespectGeminiIgnore },
		initial: true,
	},
	{
		key:     "context.includeDirectories",
		doc:     "Folders that belong to the workspace beside the project's own. Every layer adds to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Context.IncludeDirectories },
		initial: []string{}, joined: true,
	},
	{
		key:     "security.auth.selectedType",
		doc:     "How to sign in. Empty takes the first credential found; `gateway` lets a base URL stand without a key.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.Auth.SelectedType },
		initial: "",
	},
}

// private are beginnings of keys that a project's files never set, whether a
// setting of that name is declared or not.
var private = []string{"security.", "tools.sandbox", "telemetry.", "policyPaths", "adminPolicyPaths", "proxy"}

// lookup finds the setting of that key.
func lookup(key string) (setting, bool) {
	i := slices.IndexFunc(declared, func(d setting) bool { return d.key == key })
	if i < 0 {
		return setting{}, false
	}
	return declared[i], true
}

// isGroup reports whether settings are declared below key.
func isGroup(key string) bool {
	return slices.ContainsFunc(declared, func(d setting) bool { return strings.HasPrefix(d.key, key+".") })
}

// isPrivate reports whether a project's files may not set key.
func isPrivate(key string) bool {
	if d, ok := lookup(key); ok && d.scope == user {
		return true
	}
	return slices.ContainsFunc(private, func(p string) bool { return strings.HasPrefix(key+".", p) })
}

// kind names in words what a value has to be.
func (d setting) kind() string {
	switch d.field(new(Settings)).(type) {
	case *string:
		if len(d.oneOf) > 0 {
			return "one of " + strings.Join(d.oneOf, ", ")
		}
		return "a string"
	case *Period:
		return "a period such as 12h, 30d, 2w or 6m"
	case *int, *time.Duration:
		if d.most == math.MaxInt32 {
			return fmt.Sprintf("a whole number, at least %d", d.least)
		}
		return fmt.Sprintf("a whole number from %d to %d", d.least, d.most)
	case *bool:
		return "true or false"
	case *[]string:
		return "a list of strings"
	default:
		panic("settings: " + d.key + " has a field of unknown type")
	}
}

// assign puts value, which has been checked, into s.
func (d setting) assign(s *Settings, value any) {
	switch field := d.field(s).(type) {
	case *string:
		*field = value.(string)
	case *Period:
		period, err := parsePeriod(value.(string))
		if err != nil {
			panic("settings: " + d.key + ": " + err.Error())
		}
		*field = period
	case *int:
		*field = value.(int)
	case *bool:
		*field = value.(bool)
	case *time.Duration:
		seconds := value.(int)
		*field = time.Duration(seconds) * time.Second
	case *[]string:
		list := value.([]string)
		if d.joined {
			list = slices.Concat(*field, list)
		}
		*field = withoutRepeats(list)
	default:
		panic("settings: " + d.key + " has a field of unknown type")
	}
}

func withoutRepeats(list []string) []string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}
