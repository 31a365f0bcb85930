// Package git runs git in repositories that may not be trustworthy: git does
// not run anything that a repository names, change anything, or contact
// remotes. All of emendo's calls of git go through this package. It does not
// know what the answers are for.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/paths"
)

// A Program is an installed git. The zero value means that there is none.
type Program struct {
	path    string   // absolute
	folders []string // the workspace's folders
	env     []string // its whole environment
	without []string // environment that switches off the filters of one repository
	within  time.Duration
	suspect time.Duration // from then on what git may wait for is looked for
	traps   *traps
}

// Limits of how long git may take, since a slow disk can make it wait, and how long it
// takes without a suspicion that it waits for a pipe.
const (
	patience  = 30 * time.Second
	suspicion = 2 * time.Second
)

// harmless lists the variables that git gets from emendo's environment: they
// locate its settings. Variables that redirect git or load something into it
// are excluded.
var harmless = strings.Fields("HOME USER LOGNAME XDG_CONFIG_HOME TMPDIR TMP TEMP SYSTEMROOT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA")

// Find finds git in the PATH of environ. Programs inside folders, which others
// may have written, are ignored.
func Find(environ, folders []string) Program {
	p := Program{folders: folders, within: patience, suspect: suspicion, traps: &traps{}}
	var search []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if strings.EqualFold(name, "PATH") {
			search = outside(filepath.SplitList(value), folders)
		}
		if slices.Contains(harmless, strings.ToUpper(name)) {
			p.env = append(p.env, v)
		}
	}
	p.env = append(p.env, "PATH="+strings.Join(search, string(os.PathListSeparator)))
	name := "git"
	if runtime.GOOS == "windows" {
		name = "git.exe"
	}
	for _, dir := range search {
		path, err := exec.LookPath(filepath.Join(dir, name)) // it contains a separator, so PATH is not searched
		if err != nil {
			continue
		}
		if target, err := filepath.EvalSymlinks(path); err == nil && len(outside([]string{target}, folders)) == 1 {
			p.path = path
			return p
		}
	}
	return Program{}
}

// Found reports whether git was found.
func (p Program) Found() bool { return p.path != "" }

// outside returns the paths that are absolute and not in one of the folders.
func outside(names, folders []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(p string) bool {
		return !filepath.IsAbs(p) || paths.WithinAny(p, folders)
	})
}

// Run runs git in a directory, without a shell, and returns its output. The
// error is the first line of git's error output, that git took longer than 30 seconds,
// or that git would wait for a pipe, which is then not waited for; see [ExitCode].
func (p Program) Run(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
	if err := p.traps.check(dir); err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", args[0], dir, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.within, errSlow)
	defer cancel()
	ctx, stop := p.traps.guard(ctx, dir, p.suspect)
	defer stop()
	cmd := exec.CommandContext(ctx, p.path, append(slices.Concat([]string{"-C", dir}, always), args...)...)
	cmd.Env = slices.Concat(p.env, alwaysEnv, p.without)
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.WaitDelay = time.Second // for processes that git started
	var out bytes.Buffer
	var complaint beginning
	defer bind(cmd)()
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("git %s in %s: %w", args[0], dir, context.Cause(ctx))
		}
		line, _, _ := strings.Cut(string(complaint), "\n")
		return nil, fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, line)
	}
	return out.Bytes(), nil
}

// A beginning keeps the start of git's error output, which a repository can
// make endless.
type beginning []byte

const maxComplaint = 4 << 10 // bytes

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), maxComplaint-len(*b))]...)
	return len(p), nil
}

var errSlow = errors.New("it timed out")

// always holds arguments for every call. They override the settings of
// repositories and the files these include.
var always = []string{
	"--no-pager", "--no-optional-locks", "--no-replace-objects",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.alternateRefsCommand=", "-c", "core.sshCommand=false", "-c", "core.gitProxy=",
	"-c", "core.askPass=", "-c", "credential.helper=", "-c", "diff.external=", "-c", "log.showSignature=false", "-c", "submodule.recurse=false",
	"-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "protocol.ext.allow=never", "-c", "core.quotePath=false",
}

// alwaysEnv keeps git from prompting, locking and fetching missing objects.
var alwaysEnv = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
	"GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_SSH_COMMAND=false", "GIT_ASKPASS=", "SSH_ASKPASS=", "LC_ALL=C",
}

// ExitCode returns git's exit status from the error of [Program.Run]; -1 if git
// did not exit by itself.
func ExitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}
