package findings

import (
	"io"

	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/tools"
)

// A Review is what SARIF says beside the findings.
type Review struct {
	Version string // emendo's
	Folder  string // the root of the repository, to which URIs are relative
	Failed  string // why the review did not come to its end; empty: it did
}

// ruleID is the rule of all findings: a model has no list of what it looks for.
const ruleID = "EMENDO1"

// home is where emendo is explained.
const home = "https://github.com/emendo-dev/emendo"

type (
	log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool        tool         `json:"tool"`
		Invocations []invocation `json:"invocations"`
		Results     []result     `json:"results"`
		ColumnKind  string       `json:"columnKind"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name            string `json:"name"`
		SemanticVersion string `json:"semanticVersion"`
		InformationURI  string `json:"informationUri"`
		Rules           []rule `json:"rules"`
	}
	rule struct {
		ID               string  `json:"id"`
		Name             string  `json:"name"`
		ShortDescription message `json:"shortDescription"`
		FullDescription  message `json:"fullDescription"`
		Help             message `json:"help"`
		HelpURI          string  `json:"helpUri"`
	}
	message struct {
		Text string `json:"text"`
	}
	invocation struct {
		Successful    bool           `json:"executionSuccessful"`
		Notifications []notification `json:"toolExecutionNotifications,omitempty"`
	}
	notification struct {
		Level   string  `json:"level"`
		Message message `json:"message"`
	}
	result struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   message    `json:"message"`
		Locations []location `json:"locations"`
	}
	location struct {
		Physical physical `json:"physicalLocation"`
	}
	physical struct {
		Artifact artifact `json:"artifactLocation"`
		Region   region   `json:"region"`
	}
	artifact struct {
		URI string `json:"uri"`
	}
	region struct {
		StartLine int     `json:"startLine"`
		EndLine   int     `json:"endLine"`
		Snippet   message `json:"snippet"`
	}
)

var levels = map[tools.Severity]string{tools.SeverityError: "error", tools.SeverityWarning: "warning", tools.SeverityInformation: "note"}

// WriteSARIF writes findings as a log of SARIF 2.1.0.
func WriteSARIF(w io.Writer, r Review, l []finding.Finding) error {
	one := run{
		Tool: tool{driver{Name: "emendo", SemanticVersion: r.Version, InformationURI: home, Rules: []rule{{
			ID: ruleID, Name: "ReviewFinding", HelpURI: home,
			ShortDescription: message{"A model found a problem in a review."},
			FullDescription:  message{"A model that read the changes, and the code around them, reports a problem at these lines."},
			Help:             message{"Read the lines, and judge the finding: a model can be wrong."},
		}}}},
		Invocations: []invocation{{Successful: r.Failed == ""}}, Results: []result{}, ColumnKind: "utf16CodeUnits",
	}
	if r.Failed != "" {
		one.Invocations[0].Notifications = []notification{{"error", message{r.Failed}}}
	}
	for _, f := range inOrder(l) {
		text := f.Title
		if f.Message != "" {
			text += "\n\n" + f.Message
		}
		one.Results = append(one.Results, result{
			RuleID: ruleID, Level: levels[f.Severity], Message: message{text},
			Locations: []location{{physical{artifact{uriOf(r.Folder, f.Path)}, region{f.Lines.First + 1, f.Lines.Last() + 1, message{f.Lines.Text}}}}},
		})
	}
	return write(w, log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{one}})
}
