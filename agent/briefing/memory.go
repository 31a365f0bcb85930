package briefing

import (
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/tools"
)

// notes returns the store of saved facts, and false if there is none.
func (br *Briefing) notes() (notes, bool) {
	dir := br.o.MemoryDir
	return notes{Dir: dir}, dir != ""
}

// Remember returns the function that saves a fact for the session's workspace;
// nil when nothing can be saved.
func (br *Briefing) Remember() func(fact string) error {
	n, ok := br.notes()
	if !ok {
		return nil
	}
	return func(fact string) error {
		err := n.add(br.o.Cwd, fact, fmt.Sprintf("%s, session %s", br.o.Now().Format("2006-01-02"), br.o.SessionID))
		switch {
		case errors.Is(err, errFull):
			return tools.Errorf(tools.WriteFailure, "%v in %s; the user can remove some", err, n.path(br.o.Cwd))
		case errors.Is(err, errKnown):
			return nil
		}
		return err
	}
}
