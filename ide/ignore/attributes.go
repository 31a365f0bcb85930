package ignore

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
)

// EndOfLine returns the line ends that git's attributes give the file at p, which need
// not exist: "lf" or "crlf", or "" if they say nothing. Those of .gitattributes count, of
// the nearest folder most, and of a file the last line that matches.
func EndOfLine(ctx context.Context, p disk.Path) (string, error) {
	top, ok := repository(filepath.Dir(p.Abs))
	if !ok {
		return "", nil
	}
	tree, err := disk.NewTree([]string{top})
	if err != nil {
		return "", err
	}
	defer tree.Close()
	rel, err := filepath.Rel(top, p.Abs)
	if err != nil {
		return "", err
	}
	names := elements(filepath.ToSlash(rel))
	at, found := disk.Path{Abs: top, Root: top, Rel: "."}, ""
	for i := range names {
		text, err := read(ctx, tree, at.Join(".gitattributes"))
		if err != nil {
			return "", err
		}
		found = endOfLine(found, text, strings.Join(names[i:], "/"))
		at = at.Join(names[i])
	}
	return found, nil
}

// endOfLine returns the line ends of a path after the lines of a file; before them it
// had those given.
func endOfLine(ends, text, path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.HasSuffix(words[0], "/") { // folders have no attributes
			continue
		}
		p, ok := parseLine(words[0])
		if !ok || p.negated || !p.match(name, path, false) {
			continue
		}
		for _, attribute := range words[1:] {
			switch attribute {
			case "eol=crlf", "eol=lf":
				ends = strings.TrimPrefix(attribute, "eol=")
			case "-text", "binary", "!eol", "-eol":
				ends = ""
			}
		}
	}
	return ends
}
