// Package git asks git, the program, what is in repositories that nobody may be
// trusted to have set up: nothing that a repository names is run, nothing of it
// is changed, and no remote is asked. All of emendo's own calls of git go through
// it. It knows nothing of what the answers are for.
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
)

// A Program is git, or that there is none, which is the zero value.
type Program struct {
	path    string   // absolute
	folders []string // of the workspace
	env     []string // all that it gets
	without []string // environment that switches off what one repository names
	within  time.Duration
}

// patience is how long git may take: it can be had to wait for ever, with a pipe
// that is called .gitignore.
const patience = 30 * time.Second

// harmless are the names that git gets of emendo's environment: where its settings
// are. What redirects it or loads something into it is not among them.
var harmless = strings.Fields("HOME USER LOGNAME XDG_CONFIG_HOME TMPDIR TMP TEMP SYSTEMROOT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA")

// Find looks for git where the environment says that programs are, but not in
// folders, which somebody else may have filled.
func Find(environ, folders []string) Program {
	p := Program{folders: folders, within: patience}
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
		path, err := exec.LookPath(filepath.Join(dir, name)) // as it has a separator, nothing is searched
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

// Found says whether there is a git.
func (p Program) Found() bool { return p.path != "" }

// outside leaves out what is relative, or in one of the folders.
func outside(paths, folders []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return !filepath.IsAbs(p) || slices.ContainsFunc(folders, func(f string) bool {
			rel, err := filepath.Rel(f, p)
			return err == nil && filepath.IsLocal(rel)
		})
	})
}

// Run runs git in a folder, without a shell, and gives what it prints. The error
// is git's first line of complaint, or that it took longer than 30 seconds;
// [ExitCode] tells its status.
func (p Program) Run(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.within, errSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, append(slices.Concat([]string{"-C", dir}, always), args...)...)
	cmd.Env = slices.Concat(p.env, alwaysEnv, p.without)
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.WaitDelay = time.Second // for what it has started itself and is slow to go
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

// beginning keeps the first of what git complains of: a repository can have it
// complain without end.
type beginning []byte

const maxComplaint = 4 << 10 // bytes

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), maxComplaint-len(*b))]...)
	return len(p), nil
}

var errSlow = errors.New("it takes too long")

// always is what git is told each time. It is stronger than what repositories
// say, in files that they include too.
var always = []string{
	"--no-pager", "--no-optional-locks", "--no-replace-objects",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.alternateRefsCommand=", "-c", "core.sshCommand=false", "-c", "core.gitProxy=",
	"-c", "core.askPass=", "-c", "credential.helper=", "-c", "diff.external=", "-c", "log.showSignature=false", "-c", "submodule.recurse=false",
	"-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "protocol.ext.allow=never", "-c", "core.quotePath=false",
}

// alwaysEnv keeps git from asking, locking and fetching: an object that is missing
// stays so.
var alwaysEnv = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
	"GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_SSH_COMMAND=false", "GIT_ASKPASS=", "SSH_ASKPASS=", "LC_ALL=C",
}

// ExitCode is the status that git ended with, by the error of [Program.Run]; -1
// when it did not end by itself.
func ExitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}
