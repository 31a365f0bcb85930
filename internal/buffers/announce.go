package buffers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/private"
)

// Limits of announcements.
const (
	maxPeers        = 32       // servers that one mirror asks
	maxAnnouncement = 64 << 10 // bytes
	maxSocketPath   = 100      // bytes, which every system takes
)

// The endings of the two files of a server: that by which processes find it, and its
// socket.
const (
	announced = ".json"
	socket    = ".sock"
)

// announcement is the content of the file by which processes find a server.
type announcement struct {
	Version int      `json:"version"` // of the messages
	Folders []string `json:"folders"` // of the editor: absolute, links resolved
}

// version is that of the messages. A server of another one is not asked.
const version = 2

// socketOf returns the socket of a server, given the file that announces it.
func socketOf(file string) string { return strings.TrimSuffix(file, announced) + socket }

// isAnnouncement reports whether a name in the folder is that of an announcement. One that
// begins with a dot is on its way to be one.
func isAnnouncement(name string) bool {
	return strings.HasSuffix(name, announced) && !strings.HasPrefix(name, ".")
}

// listen makes the socket of a new server, which only this user can reach, and returns
// the file to announce it in.
func listen(ctx context.Context, folder string) (l *net.UnixListener, file string, err error) {
	if err := private.Folder(folder); err != nil {
		return nil, "", err
	}
	file = filepath.Join(folder, strings.ToLower(rand.Text()[:10])+announced)
	err = reach(socketOf(file), func(path string) error {
		var c net.ListenConfig
		made, err := c.Listen(ctx, "unix", path)
		if err == nil {
			l = made.(*net.UnixListener)
			l.SetUnlinkOnClose(false) // by a path that may lead nowhere then
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if err := os.Chmod(socketOf(file), 0o600); err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return l, file, nil
}

// dial connects to the server that a file announces.
func dial(ctx context.Context, file string) (c net.Conn, err error) {
	err = reach(socketOf(file), func(path string) error {
		var d net.Dialer
		c, err = d.DialContext(ctx, "unix", path)
		return err
	})
	return c, err
}

// announce writes an announcement. Readers see all of it, or the one before.
func announce(file string, a announcement) error {
	content, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("announce the editor: %w", err)
	}
	return private.Replace(file, content)
}

// readAnnouncement reads an announcement.
func readAnnouncement(file string) (a announcement, err error) {
	f, err := private.OpenFile(file, os.O_RDONLY)
	if err != nil {
		return a, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxAnnouncement))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(content, &a)
}

// forget removes what a server that ended without its last word has left behind. A
// server is announced once it listens and its name is not used again, so one that refuses
// to be connected to has ended.
func forget(file string) error {
	var failed error
	for _, f := range []string{file, socketOf(file)} {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have been faster
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// settled is the age at which a socket that refuses connections cannot be one whose
// server is about to listen, and an announcement on its way is written by nobody.
const settled = time.Minute

// forgetKilled forgets the servers that were killed, also while they announced themselves.
func forgetKilled(ctx context.Context, folder string) (failed error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		fi, err := f.Info()
		if err != nil || time.Since(fi.ModTime()) < settled {
			continue
		}
		path := filepath.Join(folder, f.Name())
		if strings.HasSuffix(path, announced) && !isAnnouncement(f.Name()) {
			failed = errors.Join(failed, forget(path))
			continue
		}
		name, is := strings.CutSuffix(path, socket)
		if !is {
			continue
		}
		file := name + announced
		c, err := dial(ctx, file)
		switch {
		case err == nil:
			_ = c.Close()
		case isGone(err):
			failed = errors.Join(failed, forget(file))
		}
	}
	return failed
}

// overlap reports whether a file can be in folders of both.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(f string) bool { return paths.WithinAny(f, b) }) ||
		slices.ContainsFunc(b, func(f string) bool { return paths.WithinAny(f, a) })
}
