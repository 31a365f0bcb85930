package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a command as bash does. Without a file it says why not.
func parse(command string) (*syntax.File, string) {
	if why := suspicious(command); why != "" {
		return nil, why
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, "bash would not understand it: " + err.Error()
	}
	if !apart(file, command) {
		return nil, "it has a comment that bash reads as a part of a word"
	}
	return file, ""
}

// apart says whether every comment begins where a word could. The parser also
// sees one right behind the quoted end mark of a here-document, where bash sees
// more of the mark, and commands behind it.
func apart(file *syntax.File, source string) bool {
	ok := true
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, is := n.(*syntax.Comment); is && c.Hash.Offset() > 0 {
			ok = ok && strings.IndexByte(" \t\n;&|()<>", source[c.Hash.Offset()-1]) >= 0
		}
		return ok
	})
	return ok
}
