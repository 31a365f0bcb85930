package review

import (
	"maps"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/tools"
)

// findingCode is the code of the diagnostics for findings.
const findingCode = protocol.String("finding")

const (
	fixFindingKind     protocol.CodeActionKind = "quickfix.emendo.fixFinding"
	explainFindingKind protocol.CodeActionKind = "quickfix.emendo.explainFinding"
	dismissFindingKind protocol.CodeActionKind = "quickfix.emendo.dismissFinding"
)

var severityOf = map[tools.Severity]protocol.DiagnosticSeverity{
	tools.SeverityError: protocol.DiagnosticSeverityError, tools.SeverityWarning: protocol.DiagnosticSeverityWarning, tools.SeverityInformation: protocol.DiagnosticSeverityInformation,
}

// onFinding are the actions on a finding.
var onFinding = []struct {
	do         string
	kind       protocol.CodeActionKind
	callsModel bool
}{{"fix", fixFindingKind, true}, {"explain", explainFindingKind, true}, {"dismiss", dismissFindingKind, false}}

type findingData struct {
	FindingID string `json:"findingId"`
}

// changedFiles are files whose findings have changed since they were published.
type changedFiles struct {
	mu    sync.Mutex
	files map[ide.URI]string // as the client spells them
}

func (f *changedFiles) note(u ide.URI, spelled string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		f.files = map[ide.URI]string{}
	}
	f.files[u] = spelled
}

// moveTo adds the files to others, and forgets them.
func (f *changedFiles) moveTo(to map[ide.URI]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(to, f.files)
	f.files = nil
}

// NoteFindings notes that the findings of a file have changed.
func (a *Announcer) NoteFindings(path string) {
	u := ide.FileURI(path)
	spelled := string(u)
	if d := a.c.Workspace.Snapshot().DocumentAt(path); d != nil {
		u, spelled = d.URI, d.Spelling
	}
	a.found.note(u, spelled)
	a.c.Touch()
}

// findingsIn returns the findings of a document or of a file that is closed. Without a host there
// are none.
func (v *Review) findingsIn(d *ide.Document, u ide.URI) []finding.Finding {
	h := v.c.Host.Current()
	if h == nil {
		return nil
	}
	path := u.Path()
	if d != nil {
		path = d.Path
	}
	return h.Agent.Process.Findings.OfFile(path)
}

// hasFindings reports whether there are findings of a file, also if their lines are gone.
func (v *Review) hasFindings(path string) bool {
	h := v.c.Host.Current()
	return h != nil && len(h.Agent.Process.Findings.OfPath(path)) > 0
}

// rereadFindings brings the findings of a closed file up to date, which may have been written.
func (a *Announcer) rereadFindings(u ide.URI) {
	if h := a.c.Host.Current(); h != nil {
		h.Agent.Process.Findings.Reread(a.c.Life(), u.Path())
	}
}

// Finding returns the finding with the ID, or for an empty one that at the line of a position;
// false without one.
func (v *Review) Finding(id string, u ide.URI, at ide.Position) (f finding.Finding, ok bool) {
	h := v.c.Host.Current()
	if h == nil {
		return f, false
	}
	if id != "" {
		return h.Agent.Process.Findings.Get(id)
	}
	for _, f := range v.findingsIn(v.c.Workspace.Snapshot().Document(u), u) {
		if int(at.Line) >= f.Lines.First && int(at.Line) <= f.Lines.Last() {
			return f, true
		}
	}
	return f, false
}

// FindingPlace returns the document and the lines of a finding.
func (v *Review) FindingPlace(f finding.Finding) (uri string, lines ide.Range) {
	d := v.c.Workspace.Snapshot().DocumentAt(f.Path)
	if d == nil {
		return string(ide.FileURI(f.Path)), v.findingRange(nil, f)
	}
	return d.Spelling, v.findingRange(d, f)
}

// findingRange returns the lines of a finding: of a closed file to the start of the line behind
// them, since their length is not known.
func (v *Review) findingRange(d *ide.Document, f finding.Finding) ide.Range {
	first, last := f.Lines.First, f.Lines.Last()
	if d == nil {
		return ide.Range{Start: ide.Position{Line: uint32(first)}, End: ide.Position{Line: uint32(last) + 1}}
	}
	enc := v.c.Workspace.Encoding()
	return ide.Range{
		Start: client.LineAround(d.Text, d.Text.LineStart(first), enc).Start,
		End:   client.LineAround(d.Text, d.Text.LineStart(last), enc).End,
	}
}

// findingDiagnostic returns the diagnostic of a finding.
func (a *Announcer) findingDiagnostic(d *ide.Document, f finding.Finding) protocol.Diagnostic {
	text := visible.Text(f.Title)
	if f.Message != "" {
		text += "\n" + visible.Text(f.Message)
	}
	x := diagnostic(a.review.findingRange(d, f), severityOf[f.Severity], text)
	x.Code = findingCode
	if a.c.Can.PublishData {
		data, err := protocol.Marshal(findingData{f.ID})
		if err != nil {
			panic(err) // strings
		}
		x.Data = data
	}
	return x
}

// onFindings returns the actions on the findings at the lines of a range.
func (a *Actions) onFindings(u ide.URI, p client.CodeActionParams) (l []protocol.CodeAction) {
	for _, f := range a.review.findingsIn(a.c.Workspace.Snapshot().Document(u), u) {
		if f.Lines.Last() < int(p.Range.Start.Line) || f.Lines.First > int(LastLine(p.Range)) {
			continue
		}
		title := shorten(visible.OneLine(f.Title))
		for _, x := range onFinding {
			if !wants(p, x.kind, x.callsModel) {
				continue
			}
			does := words(x.do+"_finding", "title", title)
			command := client.NewCommand(does, "emendo.finding", client.FindingArgs{ID: f.ID, Action: x.do})
			if x.callsModel {
				l = append(l, a.generated(does, x.kind, command))
			} else {
				l = append(l, action(does, x.kind, command))
			}
		}
	}
	return l
}
