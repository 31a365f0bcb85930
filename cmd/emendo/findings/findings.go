// Package findings writes what a review has found for people, scripts and programs that read
// SARIF. It knows neither the command line nor exit statuses.
package findings

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Formats are the names of the formats.
var Formats = []string{"text", "json", "sarif"}

// WriteText writes a finding for a person: its place, below a folder relative to it, and its texts.
func WriteText(w io.Writer, folder string, f finding.Finding) error {
	place := relative(folder, f.Path)
	if place == "" {
		place = f.Path
	}
	text := fmt.Sprintf("%s:%d: %s: %s\n", place, f.Lines.First+1, f.Severity, f.Title)
	for line := range strings.Lines(f.Message) {
		text += "    " + strings.TrimRight(line, "\r\n") + "\n"
	}
	_, err := io.WriteString(w, visible.Text(text))
	return err
}

// relative returns the path of a file below a folder; "" for another one.
func relative(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return rel
}

// inOrder returns findings by file and line.
func inOrder(l []finding.Finding) []finding.Finding {
	return slices.SortedStableFunc(slices.Values(l), func(a, b finding.Finding) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.Lines.First - b.Lines.First
	})
}

// shown is a finding in JSON.
type shown struct {
	ID       string         `json:"id"`
	URI      string         `json:"uri"`
	Range    ide.Range      `json:"range"` // whole lines
	Severity tools.Severity `json:"severity"`
	Title    string         `json:"title"`
	Message  string         `json:"message"`
}

// WriteJSON writes findings as one object.
func WriteJSON(w io.Writer, l []finding.Finding) error {
	all := struct {
		Findings []shown `json:"findings"`
	}{[]shown{}}
	for _, f := range inOrder(l) {
		all.Findings = append(all.Findings, shown{
			f.ID, string(ide.FileURI(f.Path)),
			ide.Range{Start: ide.Position{Line: uint32(f.Lines.First)}, End: ide.Position{Line: uint32(f.Lines.Last()) + 1}},
			f.Severity, f.Title, f.Message,
		})
	}
	return write(w, all)
}

// write writes a value as indented JSON, without characters that steer terminals.
func write(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, visible.EscapeJSON(string(b))+"\n")
	return err
}

// uriOf returns the URI of a file relative to a folder, with which SARIF names places; that of
// a file elsewhere is absolute.
func uriOf(folder, path string) string {
	rel := relative(folder, path)
	if rel == "" {
		return string(ide.FileURI(path))
	}
	return (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath()
}
