package langserver

import (
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// Diagnostic is a problem in a file, as reported by a server.
type Diagnostic struct {
	Range    ide.Range
	Severity Severity
	Code     string // may be empty
	Source   string // the tool that found it; may be empty
	Message  string
}

// Severity is the severity of a problem.
type Severity int

// The severities.
const (
	Error       Severity = 1
	Warning     Severity = 2
	Information Severity = 3
	Hint        Severity = 4
)

// sent is an LSP Diagnostic.
type sent struct {
	Range    ide.Range       `json:"range"`
	Severity Severity        `json:"severity"`
	Code     json.RawMessage `json:"code"` // a number or a string
	Source   string          `json:"source"`
	Message  string          `json:"message"`
}

// maxDiagnostics limits the stored problems of one file.
const maxDiagnostics = 1000

// received converts diagnostics from a server. The default severity is error.
func received(all []sent) []Diagnostic {
	l := make([]Diagnostic, 0, min(len(all), maxDiagnostics))
	for _, d := range all[:min(len(all), maxDiagnostics)] {
		if d.Severity == 0 {
			d.Severity = Error
		}
		l = append(l, Diagnostic{d.Range, d.Severity, strings.Trim(string(d.Code), `"`), d.Source, d.Message})
	}
	return l
}

// Reported are the problems of a document, as an editor reports them.
type Reported struct {
	URI   string
	Found []Diagnostic
}

// ParseReports reads an editor's reports of LSP diagnostics from JSON, without those of a
// shape that is not LSP's.
func ParseReports(raw json.RawMessage) (l []Reported, err error) {
	var items []struct {
		URI         string          `json:"uri"`
		Diagnostics json.RawMessage `json:"diagnostics"`
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	for _, item := range items {
		var all []sent
		if json.Unmarshal(item.Diagnostics, &all) == nil {
			l = append(l, Reported{item.URI, received(all)})
		}
	}
	return l, nil
}

// tsDiagnostic is a diagnostic of tsserver. Lines and offsets count from one.
type tsDiagnostic struct {
	Start    tsPosition      `json:"start"`
	End      tsPosition      `json:"end"`
	Text     string          `json:"text"`
	Code     json.RawMessage `json:"code"`
	Category string          `json:"category"`
}

type tsPosition struct {
	Line   uint32 `json:"line"`
	Offset uint32 `json:"offset"`
}

func (d tsDiagnostic) diagnostic() Diagnostic {
	severity := map[string]Severity{"error": Error, "warning": Warning, "message": Information, "suggestion": Hint}[d.Category]
	if severity == 0 {
		severity = Error
	}
	position := func(p tsPosition) ide.Position {
		return ide.Position{Line: max(p.Line, 1) - 1, Character: max(p.Offset, 1) - 1}
	}
	return Diagnostic{
		Range:    ide.Range{Start: position(d.Start), End: position(d.End)},
		Severity: severity, Code: string(d.Code), Source: "typescript", Message: d.Text,
	}
}

// capabilities are the relevant capabilities of a server.
type capabilities struct {
	PositionEncoding ide.Encoding    `json:"positionEncoding"`
	Diagnostics      json.RawMessage `json:"diagnosticProvider"`
	Formatting       json.RawMessage `json:"documentFormattingProvider"` // a boolean or options
	Commands         struct {
		Names []string `json:"commands"`
	} `json:"executeCommandProvider"`
}

// declared lists the capabilities of this client. Servers do not watch files
// through it, because they are notified of every change; see [server.tellChanged].
var declared = json.RawMessage(`{
	"general": {"positionEncodings": ["utf-8", "utf-16"]},
	"workspace": {"configuration": true, "workspaceFolders": true, "workspaceEdit": {"documentChanges": true}, "symbol": {}},
	"textDocument": {
		"synchronization": {}, "publishDiagnostics": {"versionSupport": true}, "diagnostic": {},
		"hover": {"contentFormat": ["markdown", "plaintext"]}, "definition": {}, "references": {}, "formatting": {},
		"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}, "rename": {}
	}
}`)
