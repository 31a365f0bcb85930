package lsp

import "time"

// parentEvery is the interval of the checks that the client's process lives.
const parentEvery = time.Second

// watchParent closes the connection when the process ends.
func (s *server) watchParent(pid int) {
	t := time.NewTicker(parentEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-s.client.Life().Done():
			return
		}
		if !alive(pid) {
			s.log.Info("the client's process has ended", "pid", pid)
			_ = s.conn.Close() // always nil
			return
		}
	}
}
