package buffers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/internal/private"
)

// Limits of announcements.
const (
	maxAnnounced    = 64       // servers that are looked at
	maxAnnouncement = 64 << 10 // bytes
	maxSocketPath   = 100      // bytes that every system takes
)

// announced is the ending of the files by which processes find servers.
const announced = ".json"

// announcement is the content of such a file.
type announcement struct {
	Version int      `json:"version"` // of the messages
	Socket  string   `json:"socket"`
	Folders []string `json:"folders"` // of the editor: absolute, links resolved
}

// version is that of the messages. A server of another one is not asked.
const version = 1

// listen makes the socket of a new server, which only this user can reach, and returns
// the file to announce it in.
func listen(ctx context.Context, folder string) (l net.Listener, file string, err error) {
	if err := private.Folder(folder); err != nil {
		return nil, "", err
	}
	name := strings.ToLower(rand.Text()[:10])
	at := filepath.Join(folder, name+".sock")
	if len(at) > maxSocketPath {
		short := filepath.Join(os.TempDir(), "emendo-"+strconv.Itoa(os.Geteuid()))
		if err := private.Folder(short); err != nil {
			return nil, "", err
		}
		at = filepath.Join(short, name+".sock")
	}
	var c net.ListenConfig
	if l, err = c.Listen(ctx, "unix", at); err != nil {
		return nil, "", err
	}
	if err := os.Chmod(at, 0o600); err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return l, filepath.Join(folder, name+announced), nil
}

// announce writes an announcement. Readers see all of it, or the one before.
func announce(file string, a announcement) error {
	content, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("announce the editor: %w", err)
	}
	next := file + ".new"
	f, err := private.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(next, file)
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
func forget(file string, a announcement) {
	_ = os.Remove(file) // another process may have been faster
	if filepath.Base(a.Socket) == strings.TrimSuffix(filepath.Base(file), announced)+".sock" {
		_ = os.Remove(a.Socket)
	}
}

// within reports whether a path is one of the folders or below one.
func within(path string, folders []string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, strings.TrimSuffix(f, string(filepath.Separator))+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// overlap reports whether a file can be in folders of both.
func overlap(a, b []string) bool {
	for _, f := range a {
		if within(f, b) {
			return true
		}
	}
	for _, f := range b {
		if within(f, a) {
			return true
		}
	}
	return false
}
