package oauth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/private"
)

// ending is the end of the names of logins, by which tools and commands recognise
// secrets.
const ending = ".secret"

// maxFile limits a stored login, in bytes.
const maxFile = 1 << 20

// file returns where a login is stored: one file for each server and issuer.
func (l Logins) file(server, issuer string) string {
	sum := sha256.Sum256([]byte(server + "\n" + issuer))
	return filepath.Join(l.Dir, hex.EncodeToString(sum[:16])+ending)
}

// find returns the login at a target, the latest of several, or else the note that
// the target asks for one; nil if there is neither.
func (l Logins) find(t Target) (*Login, error) {
	all, err := l.matching(func(have *Login) bool {
		return have.Server == t.URL && (have.AccessToken == "" || t.OAuth.Issuer == "" || have.Issuer == t.OAuth.Issuer)
	})
	if len(all) == 0 {
		return nil, err
	}
	return slices.MinFunc(all, func(a, b *Login) int {
		if (a.AccessToken == "") != (b.AccessToken == "") {
			return strings.Compare(b.AccessToken, a.AccessToken)
		}
		return b.At.Compare(a.At)
	}), err
}

// matching returns the stored logins that match. A file that cannot be read is an error,
// beside the logins in the others.
func (l Logins) matching(matches func(*Login) bool) (found []*Login, err error) {
	entries, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ending || strings.HasPrefix(e.Name(), ".") { // or is being written
			continue
		}
		login, readErr := l.read(filepath.Join(l.Dir, e.Name()))
		switch {
		case readErr != nil:
			err = errors.Join(err, readErr)
		case login != nil && matches(login):
			found = append(found, login)
		}
	}
	return found, err
}

// read reads a login; nil if it does not exist.
func (l Logins) read(path string) (*Login, error) {
	f, err := private.OpenFile(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // that is its meaning
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var login Login
	if err := json.NewDecoder(io.LimitReader(f, maxFile)).Decode(&login); err != nil {
		return nil, fmt.Errorf("read a login from %s: %w; delete the file and sign in again", path, err)
	}
	l.learnSecrets(&login)
	return &login, nil
}

// write stores a login so that every reader sees it completely or not at all.
func (l Logins) write(login *Login) error {
	l.learnSecrets(login)
	path := l.file(login.Server, login.Issuer)
	text, err := json.MarshalIndent(login, "", "  ")
	if err != nil {
		return err
	}
	if err := private.Replace(path, append(text, '\n')); err != nil {
		return fmt.Errorf("store a login: %w", err)
	}
	return nil
}

// lock waits until no other goroutine or process changes logins at a server. It
// creates the folder.
func (l Logins) lock(server string) (unlock func(), err error) {
	if !filepath.IsAbs(l.Dir) {
		return nil, fmt.Errorf("lock logins: %q is not an absolute folder", l.Dir)
	}
	return private.Lock(strings.TrimSuffix(l.file(server, ""), ending) + ".lock")
}

// save stores a login in place of the note that the server asks for one.
func (l Logins) save(login *Login) error {
	unlock, err := l.lock(login.Server)
	if err != nil {
		return err
	}
	defer unlock()
	if err := l.write(login); err != nil {
		return err
	}
	return l.remove(&Login{Server: login.Server})
}

// forget deletes a stored login.
func (l Logins) forget(login *Login) error {
	unlock, err := l.lock(login.Server)
	if err != nil {
		return err
	}
	defer unlock()
	return l.remove(login)
}

// remove deletes a stored login while logins at its server are locked.
func (l Logins) remove(login *Login) error {
	if err := os.Remove(l.file(login.Server, login.Issuer)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete a login: %w", err)
	}
	return nil
}
