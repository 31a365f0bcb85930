package shell

import (
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// maxShown limits how much of the output the user sees, in bytes.
const maxShown = 16 << 10

// result describes the outcome for the model and for the user. The session cuts
// what is too long for the model, and keeps all of it in a file.
func (t *tool) result(o outcome, env tools.Env, r tools.Runs) tools.Result {
	var b strings.Builder
	if reason := t.reason(o); reason != "" {
		b.WriteString(reason + "\n")
	}
	if r.Dir != env.Dir {
		fmt.Fprintf(&b, "Directory: %s\n", tools.UntrustedLine(r.Dir))
	}
	if o.output.Size() == 0 {
		b.WriteString("Output: (empty)\n")
	} else {
		fmt.Fprintf(&b, "Output:\n%s\n", tools.EncloseUntrusted(o.output.Text(terminal.MaxKept)))
	}
	if o.output.Size() > terminal.MaxKept {
		fmt.Fprintf(&b, "The command printed %d bytes; only the first and the last %d KiB were kept.\n", o.output.Size(), terminal.MaxKept/2>>10)
	}
	if o.ending == byItself && o.exit.Signal != "" {
		fmt.Fprintf(&b, "Signal: %s\n", o.exit.Signal)
	} else if o.ending == byItself && o.exit.Code != 0 {
		fmt.Fprintf(&b, "Exit Code: %d\n", o.exit.Code)
	}
	if o.ending == byItself && len(o.ended) > 0 {
		fmt.Fprintf(&b, "Background PIDs: %s (killed: nothing keeps running after a command)\n", joinIDs(o.ended))
	}
	if len(o.left) > 0 {
		fmt.Fprintf(&b, "Still running, because they belong to another user: %s\n", joinIDs(o.left))
	}
	text, lost := o.output.Whole()
	var exit *tools.Exit
	if o.ending == byItself {
		exit = &tools.Exit{Code: o.exit.Code, Signal: o.exit.Signal}
	}
	return tools.Result{
		Exit:    exit,
		Output:  strings.TrimSuffix(b.String(), "\n"),
		Raw:     text,
		Lost:    lost,
		Display: visible.Block("", o.output.Text(maxShown)),
		Summary: summary(o),
	}
}

// reason returns for the model why a command was killed.
func (t *tool) reason(o outcome) string {
	const rest = " It was killed with everything it had started. What it changed until then is not undone."
	switch o.ending {
	case cancelled:
		return "The command was cancelled." + rest
	case timedOut:
		return fmt.Sprintf("The command took longer than its limit of %v.%s Run a part of it, or something faster.", t.Timeout, rest)
	case wasIdle:
		return fmt.Sprintf("The command printed nothing for %v.%s If it waited for input, pass the answer as an option; if it was busy, set timeout.", t.Idle, rest)
	case wroteTooMuch:
		return "The command wrote too much. " + o.grew + rest
	case byItself:
		return ""
	}
	panic(fmt.Sprintf("shell: ending %d", o.ending))
}

// summary returns one line for the user.
func summary(o outcome) string {
	return fmt.Sprintf("%s, %.1f s", describeEnding(o), o.took.Round(100*time.Millisecond).Seconds())
}

// describeEnding describes in a few words how a command ended.
func describeEnding(o outcome) string {
	switch o.ending {
	case cancelled:
		return "cancelled"
	case timedOut:
		return "timed out"
	case wasIdle:
		return "timed out without output"
	case wroteTooMuch:
		return "ended since it wrote too much"
	case byItself:
		if o.exit.Signal != "" {
			return "terminated by signal: " + o.exit.Signal
		}
		return fmt.Sprintf("exit %d", o.exit.Code)
	}
	panic(fmt.Sprintf("shell: ending %d", o.ending))
}

func joinIDs(pids []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(pids), " ", ", "), "[]")
}
