package settings

import (
	"errors"
	"path/filepath"
)

// Paths are the folders where emendo keeps its files. None of them need exist.
type Paths struct {
	Config string // the user's settings, policies, commands, hooks
	State  string // sessions, logs, folder trust
	Cache  string // what can be made again
	System string // the administrator's settings
}

// FindPaths returns the folders that the environment and the system's customs
// name. EMENDO_HOME stands for all of the user's; elsewhere it is the XDG base
// directories on Linux and the system's own folders on macOS and Windows. goos
// is runtime.GOOS and env looks up one environment variable. The error says
// which variable is missing.
func FindPaths(goos string, env func(string) string) (Paths, error) {
	p := Paths{System: "/etc/emendo"}
	switch goos {
	case "darwin":
		p.System = "/Library/Application Support/emendo"
	case "windows":
		all := env("ProgramData")
		if !filepath.IsAbs(all) { // a relative path would have a project speak for the administrator
			return Paths{}, errors.New(`ProgramData is not set: set it to the folder of all users' programs, C:\ProgramData as a rule`)
		}
		p.System = filepath.Join(all, "emendo")
	}
	if home := env("EMENDO_HOME"); home != "" {
		if !filepath.IsAbs(home) {
			return Paths{}, errors.New("EMENDO_HOME is a relative path: set it to an absolute one")
		}
		p.Config = filepath.Join(home, "config")
		p.State = filepath.Join(home, "state")
		p.Cache = filepath.Join(home, "cache")
		return p, nil
	}

	if goos == "windows" {
		roaming, local := env("AppData"), env("LocalAppData")
		if roaming == "" || local == "" {
			return Paths{}, errors.New("AppData or LocalAppData is not set: set EMENDO_HOME to the folder where emendo may keep its files")
		}
		p.Config = filepath.Join(roaming, "emendo")
		p.State = filepath.Join(local, "emendo")
		p.Cache = filepath.Join(local, "emendo", "cache")
		return p, nil
	}

	config, state, cache := ".config", ".local/state", ".cache"
	if goos == "darwin" {
		config, state, cache = "Library/Application Support", "Library/Application Support", "Library/Caches"
	}
	for _, folder := range []struct {
		path     *string
		variable string
		fallback string
	}{
		{&p.Config, "XDG_CONFIG_HOME", config},
		{&p.State, "XDG_STATE_HOME", state},
		{&p.Cache, "XDG_CACHE_HOME", cache},
	} {
		base := env(folder.variable)
		if !filepath.IsAbs(base) { // the XDG rules: a relative path counts as unset
			home := env("HOME")
			switch {
			case home == "":
				return Paths{}, errors.New("HOME is not set: set it, or set EMENDO_HOME to the folder where emendo may keep its files")
			case !filepath.IsAbs(home):
				return Paths{}, errors.New("HOME is a relative path: set it to an absolute one, or set EMENDO_HOME to the folder where emendo may keep its files")
			}
			base = filepath.Join(home, folder.fallback)
		}
		*folder.path = filepath.Join(base, "emendo")
	}
	return p, nil
}
