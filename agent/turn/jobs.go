package turn

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// jobLines bounds the output of an ended command that the model reads, in lines.
const jobLines = 20

// reportJobs reports the commands in the background that have ended since the
// last step, or since the last turn.
func (t *Turn) reportJobs() {
	s := t.session
	how := s.Agent.Settings().Tools.Shell.JobsEnd
	for _, j := range s.Jobs.List() {
		select {
		case <-j.Over():
		default:
			continue
		}
		made := j.Made() != ""
		if s.ReportedJobs[j] {
			continue
		}
		s.ReportedJobs[j] = true
		if how == settings.JobsSilent && !made {
			continue
		}
		severity := transcript.Info
		if made {
			severity = transcript.Warning
		}
		t.conv.Emit(transcript.Notice{
			Severity: severity, Code: transcript.NoticeBackground, Title: "A background command has ended",
			Description: fmt.Sprintf("Process %d, %s: %s", j.PID(), j.State(), tools.Shown(j.Command())),
		})
		if how == settings.JobsInject {
			text := fmt.Sprintf("The command in the background with the PID %d has ended (%s): %s", j.PID(), j.State(), j.Command())
			if output := j.Output(jobLines); output != "" {
				text += "\nIt last printed:\n" + transcript.Enclose("untrusted_context", strings.ReplaceAll(output, "</untrusted_context", "&lt;/untrusted_context"))
			}
			t.conv.Emit(transcript.Given{MessageID: t.conv.LastMessage(), Kind: transcript.KindJobs, Text: transcript.Enclose("background_process", text), Origin: j.Origin()})
		}
	}
}

// noteUncovered records that checkpoints may not cover all that a command in the background
// changes from here on.
func (t *Turn) noteUncovered(j tools.Job) {
	t.session.Files.NotCovered(t.ID, "a command continued in the background ("+tools.Shown(j.Command())+"): what it changed after that is not recorded")
}
