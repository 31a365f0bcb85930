package transcript

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/redact"
)

// Store is the folder of session logs: below it one folder for each workspace,
// named by the first 16 hex digits of the SHA-256 of its real path.
type Store struct {
	// Unread is told of each log that a listing has to pass over; nil: nobody is.
	Unread func(err error)
	// Secrets are in no session that is copied or imported; nil: nothing is left out.
	Secrets *redact.Redactor

	dir string
}

// NewStore makes the store of that folder, which need not exist.
func NewStore(dir string) *Store { return &Store{dir: dir} }

const startLayout = "20060102T150405Z"

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ValidID says whether s can be a session's id. An id is part of a file's
// name, so nothing else is ever looked for.
func ValidID(s string) bool { return validID.MatchString(s) }

// Path is where the log of a session that starts now belongs.
func (st *Store) Path(s Started) string {
	sum := sha256.Sum256([]byte(s.Cwd))
	return filepath.Join(st.dir, hex.EncodeToString(sum[:])[:16], s.CreatedAt.UTC().Format(startLayout)+"-"+s.SessionID+".jsonl")
}

// Find gives the log of a stored session, or ErrUnknownSession.
func (st *Store) Find(id string) (string, error) {
	if !ValidID(id) {
		return "", fmt.Errorf("%q: %w", id, ErrUnknownSession)
	}
	l, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), "*", strings.Repeat("?", len(startLayout))+"-"+id+".jsonl"))
	if err != nil {
		return "", fmt.Errorf("looking for session %s: %w", id, err)
	}
	if len(l) == 0 {
		return "", fmt.Errorf("%s: %w", id, ErrUnknownSession)
	}
	return l[0], nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(s)
}

// delete removes a stored session.
func (st *Store) delete(id string) error {
	p, err := st.Find(id)
	if err != nil {
		return err
	}
	if err := os.Remove(p); err != nil {
		return fmt.Errorf("deleting session %s: %w", id, err)
	}
	return nil
}

// Listing asks for stored sessions.
type Listing struct {
	Cwd    string // only those of this workspace; empty: all
	Query  string // in titles, summaries and prompts, whatever the case
	Cursor string // what the listing before gave; empty: from the start
	Limit  int    // 0: all
}

// list gives the stored sessions, the most recently used first, and a cursor
// when there are more.
func (st *Store) list(q Listing) ([]SessionInfo, string, error) {
	all, err := st.Every(q)
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(s SessionInfo) bool { return s.Unasked })
	if q.Cursor != "" {
		i := slices.IndexFunc(all, func(s SessionInfo) bool { return cursorOf(s) == q.Cursor })
		if i < 0 { // it was used or deleted since: go on behind where it was
			i = slices.IndexFunc(all, func(s SessionInfo) bool { return cursorOf(s) < q.Cursor }) - 1
			if i < -1 {
				return nil, "", nil
			}
		}
		all = all[i+1:]
	}
	next := ""
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
		next = cursorOf(all[q.Limit-1])
	}
	return all, next, nil
}

// Every is list for all of them at once, those included in which no model was
// asked anything. One log that cannot be read hides no other.
func (st *Store) Every(q Listing) ([]SessionInfo, error) {
	dirs := []string{"*"}
	if q.Cwd != "" {
		sum := sha256.Sum256([]byte(q.Cwd))
		dirs = []string{hex.EncodeToString(sum[:])[:16]}
	}
	var all []SessionInfo
	for _, d := range dirs {
		files, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), d, "*.jsonl"))
		if err != nil {
			return nil, fmt.Errorf("listing sessions: %w", err)
		}
		for _, f := range files {
			info, ok, err := summarise(f, q.Query)
			if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
				continue
			}
			if err != nil && st.Unread != nil {
				st.Unread(err)
			}
			if err == nil && (ok || info.Unasked) {
				all = append(all, info)
			}
		}
	}
	slices.SortFunc(all, func(a, b SessionInfo) int { return -compareUse(a, b) })
	return all, nil
}

func compareUse(a, b SessionInfo) int {
	return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}

// cursorOf sorts as compareUse does.
func cursorOf(s SessionInfo) string {
	return fmt.Sprintf("%016x-%016x-%s", s.UpdatedAt.UnixNano(), s.CreatedAt.UnixNano(), s.ID)
}

// DropParts deletes what processes left that were killed while they saved a
// session, before a time.
func (st *Store) DropParts(before time.Time) error {
	parts, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), "*", "*.part"))
	if err != nil {
		return fmt.Errorf("looking for remains of sessions: %w", err)
	}
	for _, p := range parts {
		fi, err := os.Stat(p)
		if err == nil && fi.ModTime().Before(before) {
			err = os.Remove(p)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deleting what is left of a session: %w", err)
		}
	}
	return nil
}

// List gives the stored sessions, the most recently used first, and a cursor
// when there are more.
func (st *Store) List(q Listing) ([]SessionInfo, string, error) { return st.list(q) }

// Read gives a stored session and what was shown of it, the chunks of one
// message merged. The session's folders need not exist any more.
func (st *Store) Read(id string) (SessionInfo, []Update, error) {
	path, err := st.Find(id)
	if err != nil {
		return SessionInfo{}, nil, err
	}
	rs, err := (&Log{path: path}).CatchUp()
	if err != nil {
		return SessionInfo{}, nil, err
	}
	var info SessionInfo
	for _, r := range Surviving(rs) {
		if r.Event != nil {
			info.Fold(r)
		}
	}
	if info.ID != id {
		return SessionInfo{}, nil, fmt.Errorf("reading session %s: %s does not begin as its log: %w", id, path, ErrUnknownSession)
	}
	updates, _ := UpdatesOf(id, rs, 0)
	return info, updates, nil
}

// Delete removes a stored session. One whose turn runs, in whatever process, is
// busy.
func (st *Store) Delete(id string) error {
	path, err := st.Find(id)
	if err != nil {
		return err
	}
	l := &Log{path: path}
	if _, err := l.Lock(); err != nil {
		_ = l.Close() // nothing was written
		return err
	}
	if err := l.Close(); err != nil { // which lets go of the lock
		return fmt.Errorf("deleting session %s: %w", id, err)
	}
	return st.delete(id)
}

// save writes the log of a session that comes into being as a whole. It is there
// complete or not at all.
func (st *Store) save(start Started, rs []Record) error {
	b, err := lines(rs)
	if err != nil {
		return err
	}
	b = []byte(st.Secrets.Known(string(b)))
	path := st.Path(start)
	if err := private.Folder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("making the sessions folder: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), start.SessionID+"-*.part") // for this user alone
	if err != nil {
		return fmt.Errorf("writing a session's log: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing a session's log: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// lines are records as they stand in a log.
func lines(rs []Record) ([]byte, error) {
	var all []byte
	var last Record
	for _, r := range rs {
		b, err := r.short(last)
		if b == nil && err == nil {
			b, err = r.line()
		}
		if err != nil {
			return nil, err
		}
		all, last = append(all, b...), r.chunk()
	}
	return all, nil
}

// RandomID is a UUID of version 4, as other tools' session ids are.
func RandomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
