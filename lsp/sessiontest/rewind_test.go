package sessiontest

import (
	"fmt"
	"strconv"
	"strings"
)

// rewind rewinds to before a turn and compares what happened to the files.
func (p *play) rewind(words string) error {
	number, rest := word(words)
	scope, section := word(rest)
	if scope == "" {
		return fmt.Errorf("a rewind names a turn's number and a scope, with a ? to look first")
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number of a turn", number)
	}
	scope, dry := strings.CutSuffix(scope, "?")
	turn := "unheard-of"
	if turns := p.turnsOf(p.session); n <= len(turns) {
		turn = turns[n-1]
	}
	type left []struct{ Path, Reason string }
	var r struct {
		Restored, Deleted []string
		Kept, Conflicts   left
	}
	if err := p.request("emendo/session/rewind", object{"sessionId": p.session.id, "turnId": turn, "scope": scope, "dryRun": dry}, &r); err != nil {
		return err
	}
	var b strings.Builder
	for _, x := range r.Restored {
		fmt.Fprintf(&b, "restored %s\n", x)
	}
	for _, x := range r.Deleted {
		fmt.Fprintf(&b, "deleted %s\n", x)
	}
	for _, x := range r.Kept {
		fmt.Fprintf(&b, "kept %s: %s\n", x.Path, x.Reason)
	}
	for _, x := range r.Conflicts {
		fmt.Fprintf(&b, "conflict %s: %s\n", x.Path, x.Reason)
	}
	if section == "" {
		if b.Len() > 0 {
			return fmt.Errorf("the rewind did something with files:\n%s", b.String())
		}
		return nil
	}
	return p.script.expect(section, p.stable(b.String()))
}
