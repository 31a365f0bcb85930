//go:build linux

package linux

import (
	"context"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
	"github.com/emendo-dev/emendo/internal/sandbox/toolchain"
)

// StartRestricted starts a command at level B. What level A would hide exists here, but
// is not granted; the folder for temporary files has its own path.
func StartRestricted(ctx context.Context, c process.Command) (process.Process, error) {
	if err := profile.Confinable(c.Profile); err != nil {
		return nil, err
	}
	c.Env = toolchain.ConfinedEnvironment(c.Env, c.Profile, c.Profile.Temp, "")
	p, err := process.Start(ctx, c, process.Supervision{Level: profile.Restricted, Confinement: confinement{Level: profile.Restricted, Profile: c.Profile}})
	if err != nil {
		return nil, err
	}
	return p, nil
}
