package ide

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/own"
)

// ParseURI normalizes the URI of a document: all spellings of a file's URI, with
// more or fewer characters escaped, become one. Other URIs are returned unchanged.
func ParseURI(s string) URI {
	if path := filePath(s); path != "" {
		return FileURI(path)
	}
	return URI(s)
}

// FileURI returns the URI of an absolute path, spelled as editors do.
func FileURI(path string) URI {
	p := filepath.ToSlash(filepath.Clean(path))
	if runtime.GOOS == "windows" {
		if strings.HasPrefix(p, "//") { // a share, which begins with its host
			return URI("file:" + escaped(p))
		}
		if len(p) > 1 && p[1] == ':' {
			p = strings.ToLower(p[:1]) + p[1:]
		}
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return URI("file://" + escaped(p))
}

// Path returns the absolute path of a file's URI, and "" for any other.
func (u URI) Path() string { return filePath(string(u)) }

func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// filePath returns the path of a file's URI. It is lenient: editors do not escape
// "%", "#" and "?" in file names, and a document's URI has neither query nor
// fragment.
func filePath(uri string) string {
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return ""
	}
	var host string
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(after, '/')
		if slash < 0 {
			return ""
		}
		host, rest = after[:slash], after[slash:]
	}
	if !strings.HasPrefix(rest, "/") {
		return ""
	}
	path := unescaped(rest)
	windows := runtime.GOOS == "windows"
	switch {
	case host != "" && !strings.EqualFold(host, "localhost"):
		if !windows {
			return "" // on another machine
		}
		path = "//" + host + path
	case windows && len(path) > 2 && path[2] == ':':
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// unescaped decodes valid escapes and keeps the rest.
func unescaped(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if whole, err := url.PathUnescape(s); err == nil {
		return whole
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+3 <= len(s) {
			if one, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(one)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// realPath returns the path of a document's file with links resolved, spelled as in
// package disk.
func realPath(path string) string {
	if path == "" {
		return ""
	}
	return disk.RealPath(path)
}

// ChatSuffix ends the names of chat documents: files in which the user converses
// with the agent. They are no part of what the user works on.
const ChatSuffix = ".emendo.md"

// ChatFolder is where a workspace folder has its chat documents, slash-separated.
const ChatFolder = own.Emendo + "/chats"

// IsChat reports whether a document is a chat document.
func (u URI) IsChat() bool { return strings.HasSuffix(string(u), ChatSuffix) }
