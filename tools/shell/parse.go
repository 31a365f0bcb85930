package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a command as bash does. Without a file it says why not.
func parse(command string) (*syntax.File, string) {
	if why := suspicious(command); why != "" {
		return nil, why
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, "bash would not understand it: " + err.Error()
	}
	return file, ""
}
