package slash

// elsewhere says where users of Gemini CLI find what its commands do: the names are those
// of its documentation, the texts complete "unknown command /NAME; ". A custom command of
// the same name comes first.
var elsewhere = map[string]string{
	"about":       "`emendo version` shows it, and `emendo doctor` the rest",
	"auth":        "`emendo auth login` in a shell signs in",
	"bug":         "`emendo doctor` shows what a report needs",
	"chat":        "every session is stored: open one from your editor's list, or with `emendo run --resume`",
	"clear":       "begin a new session instead (the command emendo.newSession in an editor): the old one stays in the list",
	"compress":    "it is /compact",
	"directory":   "add a folder to the workspace in your editor, or with `emendo run --include-directories`",
	"docs":        "/help lists the commands, and `emendo` those of the shell",
	"exit":        "close the conversation in your editor: it is stored",
	"extensions":  "`emendo extensions list` in a shell shows them",
	"hooks":       "`emendo trust add` in a shell lists those of a folder before it approves them",
	"init":        "ask for it in words: write an AGENTS.md for this project",
	"new":         "begin a new session instead (the command emendo.newSession in an editor): the old one stays in the list",
	"permissions": "`emendo trust list` in a shell shows the trusted folders",
	"policies":    "`emendo policy check --command '…'` in a shell shows what is decided about a command",
	"quit":        "close the conversation in your editor: it is stored",
	"restore":     "to go back, use the command emendo.rewind in an editor",
	"resume":      "open a session from your editor's list, or with `emendo run --resume`",
	"rewind":      "to go back, use the command emendo.rewind in an editor",
	"settings":    "edit them in your editor or in the settings.json that `emendo doctor` names",
	"stats":       "/usage shows tokens and costs",
	"tools":       "/mcp lists those of MCP servers; the built-in ones are always there",
}
