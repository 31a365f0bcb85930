// Package sandbox starts commands, confines them to what they may reach, and ends them
// with everything that they have started. It does not know what a command means, nor who
// allowed it.
//
// This is what the rest of the program imports; the packages below do the work.
package sandbox

import (
	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
	"github.com/emendo-dev/emendo/internal/sandbox/toolchain"
)

// Level and the other types of package profile say what a command may reach.
type (
	Level   = profile.Level
	Profile = profile.Profile
	Network = profile.Network
	Denials = profile.Denials
	Outlet  = profile.Outlet
)

// The levels.
const (
	Open       = profile.Open
	Restricted = profile.Restricted
	Isolated   = profile.Isolated
)

// Command and the other types of package process say what is started, and how.
type (
	Command = process.Command
	Streams = process.Streams
	Process = process.Process
	Exit    = process.Exit
	Spawner = process.Spawner
	Talk    = process.Talk
	Said    = process.Said
)

// The streams of a command.
const (
	Merged   = process.Merged
	Separate = process.Separate
	Watched  = process.Watched
	Terminal = process.Terminal
)

// ErrNoTerminal says that this machine has no terminal for a command, which can
// run with [Merged] streams instead.
var ErrNoTerminal = process.ErrNoTerminal

// Functions of the packages below.
var (
	System      = process.System
	Run         = process.Run
	LevelOf     = process.LevelOf
	Conceal     = process.Conceal
	Environment = toolchain.Environment
	Shell       = toolchain.Shell
)
