package briefing

import (
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/tools"
)

// notes returns the store of saved facts, and false if there is none.
func (br *Briefing) notes() (memory.Notes, bool) {
	dir := br.o.MemoryDir
	return memory.Notes{Dir: dir}, dir != ""
}

// Remember returns the function that saves a fact for the session's workspace;
// nil when nothing can be saved.
func (br *Briefing) Remember() func(fact string) error {
	n, ok := br.notes()
	if !ok {
		return nil
	}
	return func(fact string) error {
		err := n.Add(br.o.Cwd, fact, fmt.Sprintf("%s, session %s", br.o.Now().Format("2006-01-02"), br.o.SessionID))
		switch {
		case errors.Is(err, memory.ErrFull):
			return tools.Errorf(tools.WriteFailure, "%v in %s; the user can remove some", err, n.Path(br.o.Cwd))
		case errors.Is(err, memory.ErrKnown):
			return nil
		}
		return err
	}
}
