package lsp

import "time"

// parentEvery is how often it is looked whether the client's process lives.
const parentEvery = time.Second

// watchParent ends the connection when a process ends that the server must not
// outlive.
func (s *server) watchParent(pid int) {
	t := time.NewTicker(parentEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-s.life.Done():
			return
		}
		if !alive(pid) {
			s.log.Info("the client's process has ended", "pid", pid)
			_ = s.conn.Close() // always nil
			return
		}
	}
}
