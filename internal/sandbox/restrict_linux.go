package sandbox

import "context"

// restricted starts a command at level B. What its view of the machine would
// hide at level A is there, and not granted; the folder for temporary files is
// where it is.
func restricted(ctx context.Context, c Command) (Process, error) {
	if err := c.Profile.holdable(); err != nil {
		return nil, err
	}
	return supervised(ctx, c, spec{
		Argv: c.Argv, Dir: c.Dir, Env: c.Profile.environ(c.Env, c.Profile.Temp, ""), Terminal: c.Streams == Terminal, Level: Restricted, Profile: c.Profile,
	}, nil)
}
