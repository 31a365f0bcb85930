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

type (
	// Level is [profile.Level].
	Level = profile.Level
	// Profile is [profile.Profile].
	Profile = profile.Profile
	// Network is [profile.Network].
	Network = profile.Network
	// Denials is [profile.Denials].
	Denials = profile.Denials
	// Outlet is [profile.Outlet].
	Outlet = profile.Outlet
	// WayOut is [profile.WayOut].
	WayOut = profile.WayOut
)

// The levels.
const (
	Open       = profile.Open
	Restricted = profile.Restricted
	Isolated   = profile.Isolated
)

type (
	// Command is [process.Command].
	Command = process.Command
	// Streams is [process.Streams].
	Streams = process.Streams
	// Process is [process.Process].
	Process = process.Process
	// Exit is [process.Exit].
	Exit = process.Exit
	// Spawner is [process.Spawner].
	Spawner = process.Spawner
	// Talk is [process.Talk].
	Talk = process.Talk
	// Said is [process.Said].
	Said = process.Said
)

// The streams of a command.
const (
	Merged      = process.Merged
	Separate    = process.Separate
	Watched     = process.Watched
	Interactive = process.Interactive
)

// ErrNoTerminal says that this machine has no terminal for a command, which can
// run with [Merged] streams instead.
var ErrNoTerminal = process.ErrNoTerminal

// PythonSafe is [toolchain.PythonSafe].
const PythonSafe = toolchain.PythonSafe

// Functions of the packages below.
var (
	System      = process.System
	Run         = process.Run
	LevelOf     = process.LevelOf
	Conceal     = process.Conceal
	Environment = toolchain.Environment
	Shell       = toolchain.Shell
	Credential  = toolchain.Credential
	SearchPath  = toolchain.SearchPath
	OfProject   = toolchain.OfProject
	SafePython  = toolchain.SafePython
	GitAlone    = toolchain.GitAlone

	SearchPathInside = toolchain.SearchPathInside
)

// Below reports whether this process comes from a command of emendo's: a supervisor is among
// its ancestors, it is in a view that emendo has made, or its environment is that of a
// command.
func Below(env func(string) string) bool {
	return process.Below() || marked() || env(toolchain.MarkVariable) != ""
}

// EndSession ends what the commands of a session have shared, see [Profile]. Call it when
// they have ended.
func EndSession(session string) { endSession(session) }
