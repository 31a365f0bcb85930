package credentials

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/redact"
)

// maxFile limits the file, in bytes.
const maxFile = 1 << 20

// A Place is where a secret is kept.
type Place string

// The places.
const (
	InKeyring Place = "keyring"
	InFile    Place = "file"
)

// An Entry is a stored secret, which it does not show.
type Entry struct {
	Place Place     `json:"place"`
	At    time.Time `json:"at"` // when it was stored
	// Note describes it to the user, such as an account; may be empty.
	Note string `json:"note,omitzero"`

	Secret string `json:"secret,omitzero"` // in the file; see [Store.Get]
}

// version tells an entry apart from others under its name.
func (e Entry) version() string { return e.At.UTC().Format(time.RFC3339Nano) }

// A Store keeps secrets by name. It is safe for use by several goroutines and processes.
type Store struct {
	Dir     string           // private, absolute; made by the first Put
	Keyring *Guard           // nil: only the file is used
	Secrets *redact.Redactor // learns the secrets; may be nil
}

// File returns the file of the store. Its ending marks it as secret for tools and
// commands.
func (s Store) File() string { return filepath.Join(s.Dir, "logins.secret") }

// account returns the name of a secret in the keyring, which other stores may use too.
func (s Store) account(name string) string {
	sum := sha256.Sum256([]byte(s.Dir))
	return name + "." + hex.EncodeToString(sum[:4])
}

// All returns the entries by name, without their secrets. It does not ask the keyring.
func (s Store) All() (map[string]Entry, error) {
	all, err := s.read()
	for name, e := range all {
		e.Secret = ""
		all[name] = e
	}
	return all, err
}

// Find returns the entry of a name, without its secret. It does not ask the keyring.
func (s Store) Find(name string) (Entry, bool) {
	all, err := s.read()
	e, ok := all[name]
	e.Secret = ""
	return e, ok && err == nil
}

// Get returns the secret of a name, or "".
func (s Store) Get(ctx context.Context, name string) (string, error) {
	all, err := s.read()
	if err != nil {
		return "", err
	}
	e, ok := all[name]
	switch {
	case !ok:
		return "", nil
	case e.Place == InFile:
		return e.Secret, nil
	}
	secret, err := s.Keyring.get(ctx, s.account(name), e.version())
	if err != nil {
		return "", err
	}
	s.learn(name, secret)
	return secret, nil
}

// Put stores a secret in the keyring or, if that is not possible and place is empty, in
// the file; why is then the reason. prompt permits the keyring to ask the user for its
// password.
func (s Store) Put(ctx context.Context, name, secret string, e Entry, prompt bool) (stored Entry, why error, err error) {
	s.learn(name, secret)
	unlock, err := s.lock()
	if err != nil {
		return Entry{}, nil, err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return Entry{}, nil, err
	}
	if all == nil {
		all = map[string]Entry{}
	}
	before := all[name]
	e.At = time.Now()
	if want := e.Place; want != InFile {
		why = s.Keyring.do(ctx, prompt, func() error { return s.Keyring.keyring.Set(s.account(name), secret) })
		if e.Place = InKeyring; why != nil {
			if want == InKeyring {
				return Entry{}, nil, fmt.Errorf("store it in the keyring: %w", why)
			}
			e.Place = InFile
		}
	}
	if e.Secret = ""; e.Place == InFile {
		e.Secret = secret
	}
	all[name] = e
	if err := s.write(all); err != nil {
		return Entry{}, nil, err
	}
	if before.Place == InKeyring && e.Place == InFile { // what was there before is of no use; a keyring that hangs keeps it
		_ = s.Keyring.do(ctx, false, func() error { return s.Keyring.keyring.Delete(s.account(name)) })
	}
	e.Secret = ""
	return e, why, nil
}

// Delete deletes the secret of a name, if there is one. If the keyring keeps it, the
// entry is deleted and an error returned.
func (s Store) Delete(ctx context.Context, name string, prompt bool) (found bool, err error) {
	if _, ok := s.Find(name); !ok {
		return false, nil
	}
	unlock, err := s.lock()
	if err != nil {
		return false, err
	}
	defer unlock()
	all, err := s.read()
	e, ok := all[name]
	if err != nil || !ok {
		return false, err
	}
	delete(all, name)
	if err := s.write(all); err != nil {
		return false, err
	}
	if e.Place != InKeyring {
		return true, nil
	}
	err = s.Keyring.do(ctx, prompt, func() error { return s.Keyring.keyring.Delete(s.account(name)) })
	if err != nil && !errors.Is(err, ErrNotFound) {
		return true, fmt.Errorf("emendo no longer uses it, but the keyring still has it as %q of %q: %w", s.account(name), service, err)
	}
	return true, nil
}

func (s Store) learn(name, secret string) {
	if secret != "" {
		s.Secrets.Learn(redact.Secret{Name: name + " key", Value: secret})
	}
}

// read reads the file, or nil.
func (s Store) read() (map[string]Entry, error) {
	if !filepath.IsAbs(s.Dir) {
		return nil, nil // what is in the current folder is not the user's
	}
	f, err := private.OpenFile(s.File(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read stored logins: %w", err)
	}
	defer f.Close()
	var all map[string]Entry
	if err := json.NewDecoder(io.LimitReader(f, maxFile)).Decode(&all); err != nil {
		return nil, fmt.Errorf("read stored logins: %s is damaged; delete it and run `emendo auth login`", s.File()) // err may quote a secret
	}
	for name, e := range all {
		s.learn(name, e.Secret)
	}
	return all, nil
}

// write replaces the file, so that every reader sees it completely.
func (s Store) write(all map[string]Entry) error {
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := private.Replace(s.File(), append(text, '\n')); err != nil {
		return fmt.Errorf("store a login: %w", err)
	}
	return nil
}

// lock waits until no other goroutine or process changes the store. It makes the folder.
func (s Store) lock() (unlock func(), err error) {
	if !filepath.IsAbs(s.Dir) {
		return nil, fmt.Errorf("lock stored logins: %q is not an absolute folder", s.Dir)
	}
	return private.Lock(strings.TrimSuffix(s.File(), ".secret") + ".lock")
}
