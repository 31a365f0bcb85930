package process

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// begin starts an unconfined command line and reads its first line of output.
func begin(t *testing.T, line string) (p *Supervised, first string) {
	t.Helper()
	started, err := System().Start(t.Context(), Command{Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { started.Kill(0) })
	out := bufio.NewReader(started.Output())
	if first, err = out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return started.(*Supervised), strings.TrimSpace(first)
}

// ends waits until a process is gone, or fails the test after most.
func ends(t *testing.T, pid int, most time.Duration) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(most.Milliseconds()))
	if n != 1 || err != nil {
		t.Errorf("process %d runs after %v (%v)", pid, most, err)
	}
}

func pidOf(t *testing.T, text string) int {
	t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestPIDIsThatOfTheCommand(t *testing.T) {
	p, first := begin(t, "echo $$; sleep 600")
	if pidOf(t, first) != p.PID() {
		t.Errorf("it has the id %s, and is said to have %d", first, p.PID())
	}
}

// However the server ends, its socket is closed.
func TestClosedSocketEndsEverything(t *testing.T) {
	p, first := begin(t, `setsid bash -c 'trap "" TERM HUP; (setsid sleep 600 & echo $!); sleep 600'`)
	orphan := pidOf(t, first)
	if err := p.control.Close(); err != nil {
		t.Fatal(err)
	}
	ends(t, orphan, time.Second)
	ends(t, p.PID(), time.Second)
}

// The grace ends early when another order shortens it, or the server ends.
func TestGraceCanBeShortened(t *testing.T) {
	for name, cut := range map[string]func(*Supervised){
		"by another order":         func(p *Supervised) { p.Kill(0) },
		"by the end of the socket": func(p *Supervised) { p.control.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := begin(t, `trap "echo asked" TERM; echo; while :; do sleep 0.05; done`)
			killed := make(chan struct{})
			go func() { // ends with the command
				defer close(killed)
				p.Kill(time.Minute)
			}()
			if _, err := p.output.Read(make([]byte, 10)); err != nil { // it has received the signal
				t.Fatal(err)
			}
			cut(p)
			ends(t, p.PID(), time.Second)
			<-killed
		})
	}
}

func TestWaitReturnsWhenTheSupervisorIsKilled(t *testing.T) {
	p, _ := begin(t, "echo; sleep 600")
	stat, ok := readStat(p.PID())
	if !ok {
		t.Fatal("the command does not run")
	}
	if err := unix.Kill(stat.parent, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := p.Wait(); e != (Exit{Code: -1}) {
		t.Errorf("it ended with %+v", e)
	}
	p.Kill(0)
	ends(t, p.PID(), time.Second)
}

// A command that can see its supervisor may stop it, and still ends.
func TestStoppedSupervisorContinues(t *testing.T) {
	p, _ := begin(t, "kill -STOP $PPID; echo; sleep 600")
	if ended, left := p.Kill(0); len(ended) == 0 || len(left) > 0 {
		t.Errorf("ended %v, left %v", ended, left)
	}
	ends(t, p.PID(), time.Second)
}

// A supervisor ends when nothing is left to supervise, and ignores signals
// until then.
func TestSupervisorEndsWithItsLastProcess(t *testing.T) {
	p, first := begin(t, "(sleep 600 & echo $!)")
	orphan := pidOf(t, first)
	p.Wait()
	stat, ok := readStat(orphan)
	if !ok {
		t.Fatal("what the command left running does not run")
	}
	for _, s := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP} {
		unix.Kill(stat.parent, s)
	}
	if now, ok := readStat(orphan); !ok || now.parent != stat.parent || stat.parent == 1 || stat.parent == os.Getpid() {
		t.Errorf("the orphan is %+v, then %+v", stat, now)
	}
	unix.Kill(orphan, unix.SIGKILL)
	ends(t, stat.parent, time.Second)
	if ended, left := p.Kill(0); len(ended)+len(left) > 0 {
		t.Errorf("there was something to end: %v, %v", ended, left)
	}
}

// A command gets the default signal dispositions, and only its own environment.
func TestInheritedSignalsAndEnvironment(t *testing.T) {
	for line, want := range map[string]string{
		"trap; env | sort | head -n1": "PATH=/usr/bin:/bin",
		`while read n v; do case $n in SigIgn:|SigBlk:) echo $v;; esac; done </proc/self/status | sort -u`: "0000000000000000",
	} {
		if _, first := begin(t, line); first != want {
			t.Errorf("%s says %q, want %q", line, first, want)
		}
	}
}
