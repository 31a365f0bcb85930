package ide

import (
	"strings"

	"github.com/emendo-dev/emendo/internal/own"
)

// ChatSuffix ends the names of chat documents: files in which the user converses
// with the agent. They are no part of what the user works on.
const ChatSuffix = ".emendo.md"

// ChatFolder is where a workspace folder has its chat documents, slash-separated.
const ChatFolder = own.Emendo + "/chats"

// IsChat reports whether a document is a chat document.
func (u URI) IsChat() bool { return strings.HasSuffix(string(u), ChatSuffix) }
