package transcript

const kindSummary = "summary" // what stands for the older part of the conversation

// GivenLinked is the Kind of the text that a prompt links to; it goes where its
// prompt goes.
const GivenLinked = "linked"

// The kinds of what is put before the model.
const (
	KindSystem       = "system"       // a module of the system prompt
	KindTools        = "tools"        // what it may call
	KindContextFile  = "context_file" // AGENTS.md and its like
	KindMemory       = "memory"       // what was saved on the user's word
	KindEnvironment  = "environment"
	KindFolders      = "folders" // the drawn tree of the workspace
	KindEditor       = "editor"
	KindMode         = "mode" // another one, while the turn runs
	kindLinked       = GivenLinked
	kindConversation = "conversation"
	kindToolResult   = "tool_result"
)

const GivenAdvice = "advice" // what a model that goes round in circles is told

// What hooks have the model told.
const (
	KindHook  = "hook"          // with a prompt, with which it goes
	KindStart = "session_start" // when the session began, which is not repeated
)

// KindJobs is the Kind of a text for the model about commands in the background.
const KindJobs = "background"

const GivenContinue = "continue" // what a model is told that stopped in the middle of its work
