package rpc

import "runtime/debug"

// Go runs f, a task in the background of the connection, on a goroutine that Wait waits for.
// It reports false, without running f, when the connection is ending.
func (c *Conn) Go(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return false
	}
	c.tasks.Go(func() {
		_ = c.Contain(func() error { f(); return nil }) // logged
	})
	return true
}

// Wait waits for the tasks of a connection that is ending.
func (c *Conn) Wait() {
	c.mu.Lock()
	tasks := &c.tasks // none starts any more
	c.mu.Unlock()
	tasks.Wait()
}

// Contain runs f and turns a panic into [Options.Bug], so that a bug ends only what it is in.
// The connection does the same for the work of a request.
func (c *Conn) Contain(f func() error) error { return c.recovered(f, c.options.Bug) }

// recovered runs f. A panic is logged with its stack, and bug returned.
func (c *Conn) recovered(f func() error, bug error, attrs ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic", append(attrs, "value", p, "stack", string(debug.Stack()))...)
			err = bug
		}
	}()
	return f()
}
