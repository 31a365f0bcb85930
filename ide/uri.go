package ide

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// ParseURI normalises the URI of a document. Nothing is refused: what is no
// URI names itself.
func ParseURI(s string) URI {
	u, err := url.Parse(s)
	if err != nil || !strings.EqualFold(u.Scheme, "file") {
		return URI(s)
	}
	return FileURI(filePath(u))
}

// FileURI of an absolute path, in the spelling that editors use.
func FileURI(path string) URI {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	if runtime.GOOS == "windows" && len(p) > 2 && p[2] == ':' {
		p = "/" + strings.ToLower(p[1:2]) + p[2:]
	}
	return URI((&url.URL{Scheme: "file", Path: p}).String())
}

// Path is the absolute path of a file's URI, and empty for any other.
func (u URI) Path() string {
	p, err := url.Parse(string(u))
	if err != nil || p.Scheme != "file" {
		return ""
	}
	return filePath(p)
}

func filePath(u *url.URL) string {
	p := u.Path
	if runtime.GOOS == "windows" && len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = p[1:]
	}
	if u.Host != "" && u.Host != "localhost" { // a share
		p = "//" + u.Host + p
	}
	return filepath.FromSlash(p)
}

// realPath resolves links as far as the path exists.
func realPath(path string) string {
	if path == "" {
		return ""
	}
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir, name := filepath.Split(path)
	if dir = filepath.Clean(dir); dir == path {
		return path
	}
	return filepath.Join(realPath(dir), name)
}
