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
	// Unread is called for each log that a listing has to skip. It may be nil.
	Unread func(err error)
	// Secrets are redacted from sessions that are copied or imported; nil redacts nothing.
	Secrets *redact.Redactor

	dir string
}

// NewStore returns the store in dir, which need not exist.
func NewStore(dir string) *Store { return &Store{dir: dir} }

const startLayout = "20060102T150405Z"

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ValidID reports whether s is a valid session ID. IDs become part of file names,
// so other strings are never looked up.
func ValidID(s string) bool { return len(s) <= 64 && validID.MatchString(s) }

// folderOf returns the name of the folder of a workspace.
func folderOf(cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return hex.EncodeToString(sum[:8])
}

// Path returns the path for the log of a new session.
func (st *Store) Path(s Started) string {
	return filepath.Join(st.dir, folderOf(s.Cwd), s.CreatedAt.UTC().Format(startLayout)+"-"+s.SessionID+".jsonl")
}

// EphemeralPath returns the path for the log of a session that no listing names.
func (st *Store) EphemeralPath(id string) string {
	return filepath.Join(st.dir, "ephemeral", id+".log")
}

// DropEphemeral deletes the logs of ephemeral sessions older than before, left
// behind by killed processes, and returns the sessions' IDs.
func (st *Store) DropEphemeral(before time.Time) (ids []string, err error) {
	names, err := st.deleteOlder("ephemeral", "*.log", before)
	for _, name := range names {
		ids = append(ids, strings.TrimSuffix(name, ".log"))
	}
	return ids, err
}

// DropParts deletes temporary files older than before, left by processes that were
// killed while they saved a session.
func (st *Store) DropParts(before time.Time) error {
	_, err := st.deleteOlder("*", ".part-*.jsonl", before)
	return err
}

// deleteOlder deletes the files older than before in folders of the store, and returns their names.
func (st *Store) deleteOlder(folder, file string, before time.Time) (names []string, err error) {
	found, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), folder, file))
	if err != nil {
		return nil, fmt.Errorf("find what killed processes left of sessions: %w", err)
	}
	for _, p := range found {
		fi, err := os.Stat(p)
		if err != nil || !fi.ModTime().Before(before) {
			continue
		}
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return names, fmt.Errorf("delete what a killed process left of a session: %w", err)
		}
		names = append(names, filepath.Base(p))
	}
	return names, nil
}

// Find returns the path of a stored session's log, or [ErrUnknownSession].
func (st *Store) Find(id string) (string, error) {
	if !ValidID(id) {
		return "", fmt.Errorf("%q: %w", id, ErrUnknownSession)
	}
	l, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), "*", strings.Repeat("?", len(startLayout))+"-"+id+".jsonl"))
	if err != nil {
		return "", fmt.Errorf("find session %s: %w", id, err)
	}
	if len(l) == 0 {
		return "", fmt.Errorf("%s: %w", id, ErrUnknownSession)
	}
	return l[0], nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(s)
}

// Listing selects stored sessions.
type Listing struct {
	Cwd    string // of this workspace only; empty means all
	Query  string // in titles, summaries and prompts; ignores case
	Cursor string // from the previous listing; empty starts at the first session
	Limit  int    // 0 means all
}

// List returns the stored sessions, the most recently used first, and a cursor if
// there are more.
func (st *Store) List(q Listing) ([]SessionInfo, string, error) {
	all, err := st.Every(q)
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(s SessionInfo) bool { return s.Unasked })
	if q.Cursor != "" {
		i := slices.IndexFunc(all, func(s SessionInfo) bool { return cursorOf(s) == q.Cursor })
		if i < 0 { // it was used or deleted since: continue after its old position
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

// Every returns all sessions that match q, ignoring its limit, including those
// without a prompt for a model. Logs that cannot be read are skipped.
func (st *Store) Every(q Listing) ([]SessionInfo, error) {
	dirs := []string{"*"}
	if q.Cwd != "" {
		dirs = []string{folderOf(q.Cwd)}
	}
	var all []SessionInfo
	for _, d := range dirs {
		files, err := filepath.Glob(filepath.Join(escapeGlob(st.dir), d, "*.jsonl"))
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, f := range files {
			info, ok, err := summarise(f, q.Query)
			if errors.Is(err, fs.ErrNotExist) { // deleted in the meantime
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

// cursorOf returns a cursor that sorts in the order of compareUse.
func cursorOf(s SessionInfo) string {
	return fmt.Sprintf("%016x-%016x-%s", s.UpdatedAt.UnixNano(), s.CreatedAt.UnixNano(), s.ID)
}

// Read returns a stored session and its updates, with the chunks of each message
// merged. The session's folders need not exist any more.
func (st *Store) Read(id string) (SessionInfo, []Update, error) {
	path, err := st.Find(id)
	if err != nil {
		return SessionInfo{}, nil, err
	}
	rs, err := (&Log{path: path}).CatchUp()
	if err != nil {
		return SessionInfo{}, nil, err
	}
	info := infoOf(Surviving(rs))
	if info.ID != id {
		return SessionInfo{}, nil, fmt.Errorf("read session %s: %s is not its log: %w", id, path, ErrUnknownSession)
	}
	updates, _ := UpdatesOf(id, rs, 0)
	return info, updates, nil
}

// Delete removes a stored session. It returns [ErrBusy] while a turn of the session
// runs in any process.
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
	if err := l.Close(); err != nil { // which releases the lock
		return fmt.Errorf("delete session %s: %w", id, err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("delete session %s: %w", id, err)
	}
	return nil
}

// save writes the complete log of a new session atomically.
func (st *Store) save(start Started, rs []Record) error {
	b, err := lines(rs)
	if err != nil {
		return err
	}
	b = []byte(st.Secrets.Known(string(b)))
	path := st.Path(start)
	if err := private.Folder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("create the sessions folder: %w", err)
	}
	if err := private.Replace(path, b); err != nil {
		return fmt.Errorf("write session log: %w", err)
	}
	return nil
}

// lines encodes records as in a log.
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

// RandomID returns a version 4 UUID, like the session IDs of other tools.
func RandomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
