package findings_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/cmd/emendo/findings"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// Findings are in SARIF in the order of files and lines, below the root by relative URIs.
func TestSARIF(t *testing.T) {
	found := func(path string, line int, s tools.Severity, message string) finding.Finding {
		return finding.Finding{Finding: tools.Finding{Path: path, Severity: s, Title: "T", Message: message}, Lines: ide.Passage{First: line, Text: "x\ny\n"}}
	}
	var b strings.Builder
	err := findings.WriteSARIF(&b, findings.Review{Version: "1.2.3", Folder: "/repo", Failed: "no more money"}, []finding.Finding{
		found("/repo/b/ä c.go", 4, tools.SeverityInformation, ""),
		found("/repo/a.go", 2, tools.SeverityWarning, "M"),
		found("/repo/a.go", 0, tools.SeverityError, ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version string
		Runs    []struct {
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct {
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, EndLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "2.1.0" || len(got.Runs) != 1 || got.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Fatalf("got %s", b.String())
	}
	var lines []string
	for _, r := range got.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		text, err := json.Marshal([]any{at.ArtifactLocation.URI, at.Region.StartLine, at.Region.EndLine, r.Level, r.Message.Text})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	want := []string{
		`["a.go",1,2,"error","T"]`,
		`["a.go",3,4,"warning","T\n\nM"]`,
		`["b/%C3%A4%20c.go",5,6,"note","T"]`,
	}
	if diff := cmp.Diff(lines, want); diff != "" {
		t.Errorf("the results (-got +want):\n%s", diff)
	}
}
