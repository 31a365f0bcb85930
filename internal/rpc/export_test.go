package rpc

import "context"

// Drain waits until everything that was queued before is written.
func (c *Conn) Drain(ctx context.Context) error { return c.out.drain(ctx) }
