package sessiontest

import (
	"fmt"
	"slices"
	"strconv"
)

// fork switches to a copy of the session, up to a turn if one is named.
func (p *play) fork(words string) error {
	name, upTo := word(words)
	if p.sessions[name] != nil {
		return fmt.Errorf("there is a session %s", name)
	}
	from := p.session
	params := object{"sessionId": from.id}
	if upTo != "" {
		n, err := strconv.Atoi(upTo)
		turns := p.turnsOf(from)
		switch {
		case err != nil || n < 1:
			return fmt.Errorf("%q is no number of a turn", upTo)
		case n > len(turns):
			params["turnId"] = "unheard-of"
		default:
			params["turnId"] = turns[n-1]
		}
	}
	var made struct {
		Session struct {
			SessionID string `json:"sessionId"`
		} `json:"session"`
	}
	if err := p.request("emendo/session/fork", params, &made); err != nil {
		return err
	}
	var numbers struct {
		NextSeq int64 `json:"nextSeq"`
	}
	if err := p.request("emendo/session/replay", object{"sessionId": made.Session.SessionID, "fromSeq": 1}, &numbers); err != nil {
		return err
	}
	p.use(name)
	p.session.id, p.session.next = made.Session.SessionID, numbers.NextSeq
	return nil
}

// turnsOf returns the ids of a session's turns, as its updates name them.
func (p *play) turnsOf(s *session) (ids []string) {
	for _, u := range p.editor.Seen().Updates {
		if u.SessionID == s.id && u.TurnID != "" && !slices.Contains(ids, u.TurnID) {
			ids = append(ids, u.TurnID)
		}
	}
	return ids
}
