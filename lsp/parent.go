package lsp

import "time"

// parentEvery is the interval at which the client's process is checked.
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
