package agent

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// JobsEnd says what happens when a command in the background ends by itself.
type JobsEnd string

// What happens then, at the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // nothing, but for what it made that is protected: whoever asks is told
	JobsNotify JobsEnd = "notify" // the user is told
	JobsInject JobsEnd = "inject" // the user is told, and the model reads the end of the output
)

// kindJobs is the Kind of what the model is told of commands in the background.
const kindJobs = "background"

// jobLines is how much of a command's output the model is told when it has
// ended, in lines.
const jobLines = 20

// tellOfJobs tells which commands in the background have ended since the last
// step, or since the last turn.
func (t *turn) tellOfJobs() {
	s := t.session
	how := s.agent.choices().JobsEnd
	for _, j := range s.jobs.List() {
		select {
		case <-j.Over():
		default:
			continue
		}
		made := j.Made() != ""
		if !s.tellJob(j) || how == JobsSilent && !made {
			continue
		}
		severity := Info
		if made {
			severity = Warning
		}
		t.emit(Notice{
			Severity: severity, Code: NoticeBackground, Title: "A command in the background has ended",
			Description: fmt.Sprintf("Process %d, %s: %s", j.PID(), j.State(), tools.Shown(j.Command())),
		})
		if how == JobsInject {
			text := fmt.Sprintf("The command in the background with the PID %d has ended (%s): %s", j.PID(), j.State(), j.Command())
			if output := j.Output(jobLines); output != "" {
				text += "\nIt last printed:\n" + enclose("untrusted_context", strings.ReplaceAll(output, "</untrusted_context", "&lt;/untrusted_context"))
			}
			t.emit(Given{MessageID: t.lastMessage(), Kind: kindJobs, Text: enclose("background_process", text), Origin: j.Origin()})
		}
	}
}

// tellJob says whether it is still to be told that a job is over, which is so
// once. Of one that was ended on request nothing is told.
func (s *Session) tellJob(j tools.Job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.toldOf == nil {
		s.toldOf = map[tools.Job]bool{}
	}
	told := s.toldOf[j]
	s.toldOf[j] = true
	return !told
}

// uncover notes that what a command in the background changes from here on is
// not kept, and so cannot be taken back.
func (t *turn) uncover(before int) {
	all := t.session.jobs.List()
	if len(all) <= before {
		return
	}
	t.session.files.NotCovered(t.id, "a command continued in the background ("+tools.Shown(all[len(all)-1].Command())+"): what it changed after that is not recorded")
}
