package sessiontest

import (
	"errors"
	"fmt"
	"strings"
)

// contextItems answers both requests about the context.
type contextItems struct {
	Items []struct {
		Kind, Source, Reason, Origin string
		Size                         int
	}
}

// context compares what the model was given for the last step, except the modules
// of the system prompt and the sizes.
func (p *play) context(words string) error {
	var l contextItems
	if err := p.request("emendo/context/list", object{"sessionId": p.session.id}, &l); err != nil {
		return err
	}
	var b strings.Builder
	for _, i := range l.Items {
		if i.Size == 0 {
			return fmt.Errorf("the item %s %s has no size", i.Kind, i.Source)
		}
		if i.Kind != "system" {
			fmt.Fprintf(&b, "%s: %s, from %s\n", strings.TrimSpace(i.Kind+" "+i.Source), i.Reason, i.Origin)
		}
	}
	return p.script.expect(words, p.stable(b.String()))
}

// exclude excludes a kind, a file or a file as a kind, or includes it again.
func (p *play) exclude(words string) error {
	f := strings.Fields(words)
	if len(f) < 2 {
		return errors.New("exclude takes what, and on or off")
	}
	var on bool
	if err := onOff(f[len(f)-1], &on); err != nil {
		return err
	}
	params := object{"sessionId": p.session.id, "on": on}
	for _, w := range f[:len(f)-1] {
		if strings.Contains(w, ".") {
			params["uri"] = p.uri(w)
		} else {
			params["kind"] = w
		}
	}
	var l contextItems
	return p.request("emendo/context/exclude", params, &l)
}

// written compares the memory and context files in the last request's system
// prompt.
func (p *play) written(words string) error {
	l := p.model.Requests()
	if len(l) == 0 {
		return errors.New("the model was not asked")
	}
	_, files, _ := strings.Cut(l[len(l)-1].System, "# Instructions from the user and the project\n")
	if _, rest, ok := strings.Cut(files, "\n--- from "); ok {
		files = "--- from " + rest
	}
	return p.script.expect(words, p.stable(files))
}
