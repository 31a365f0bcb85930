package agent

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// JobsEnd selects what happens when a command in the background ends by itself.
type JobsEnd string

// What happens then, at the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // nothing, unless it made protected files: then as notify
	JobsNotify JobsEnd = "notify" // a notice
	JobsInject JobsEnd = "inject" // a notice, and the model reads the end of the output
)

// jobLines bounds the output of an ended command that the model reads, in lines.
const jobLines = 20

// reportJobs reports the commands in the background that have ended since the
// last step, or since the last turn.
func (t *turn) reportJobs() {
	s := t.session
	how := s.agent.choices().JobsEnd
	for _, j := range s.jobs.List() {
		select {
		case <-j.Over():
		default:
			continue
		}
		made := j.Made() != ""
		if s.reported[j] {
			continue
		}
		s.reported[j] = true
		if how == JobsSilent && !made {
			continue
		}
		severity := transcript.Info
		if made {
			severity = transcript.Warning
		}
		t.emit(transcript.Notice{
			Severity: severity, Code: transcript.NoticeBackground, Title: "A command in the background has ended",
			Description: fmt.Sprintf("Process %d, %s: %s", j.PID(), j.State(), tools.Shown(j.Command())),
		})
		if how == JobsInject {
			text := fmt.Sprintf("The command in the background with the PID %d has ended (%s): %s", j.PID(), j.State(), j.Command())
			if output := j.Output(jobLines); output != "" {
				text += "\nIt last printed:\n" + prompt.Enclose("untrusted_context", strings.ReplaceAll(output, "</untrusted_context", "&lt;/untrusted_context"))
			}
			t.emit(transcript.Given{MessageID: t.lastMessage(), Kind: transcript.KindJobs, Text: prompt.Enclose("background_process", text), Origin: j.Origin()})
		}
	}
}

// uncover records that checkpoints do not cover what a command in the background
// changes from here on: a rewind cannot undo it.
func (t *turn) uncover(before int) {
	all := t.session.jobs.List()
	if len(all) <= before {
		return
	}
	t.session.files.NotCovered(t.id, "a command continued in the background ("+tools.Shown(all[len(all)-1].Command())+"): what it changed after that is not recorded")
}
