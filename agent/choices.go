package agent

import "github.com/emendo-dev/emendo/agent/compact"

// choices are the options with what the user's settings say now. What is kept
// of them is kept for one use: the next prompt may bring others.
func (a *Agent) choices() *Options { return a.live.Load() }

// renew has the options brought up to date, before a turn and before a session
// is made.
func (a *Agent) renew() {
	if a.o.Renew == nil {
		return
	}
	a.renewing.Lock()
	defer a.renewing.Unlock()
	o := *a.choices()
	a.o.Renew(&o)
	a.live.Store(o.complete())
}

// complete puts defaults for what is left open.
func (o Options) complete() *Options {
	if o.Fallback == "" {
		o.Fallback = FallbackNever
	}
	if o.Mode == "" {
		o.Mode = Default
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = defaultSteps
	}
	if o.JobsEnd == "" {
		o.JobsEnd = JobsSilent
	}
	if o.LongOutput == 0 {
		o.LongOutput = compact.DefaultOutput
	}
	return &o
}
