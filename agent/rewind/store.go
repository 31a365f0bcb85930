package rewind

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/private"
)

// Store is the folder that holds the checkpoints of every session.
type Store struct {
	dir string
	git Git
}

// NewStore returns the store in that folder, which need not exist. git reads
// repositories; with the zero value they are treated like other folders.
func NewStore(dir string, git Git) *Store { return &Store{dir, git} }

// Journal returns the checkpoints of a session, whose ID is valid as a file name.
func (s *Store) Journal(session string) *Journal {
	return &Journal{dir: filepath.Join(s.dir, session), git: s.git}
}

// Delete removes the checkpoints of a session.
func (s *Store) Delete(session string) error {
	if err := os.RemoveAll(filepath.Join(s.dir, session)); err != nil {
		return fmt.Errorf("deleting the checkpoints of session %s: %w", session, err)
	}
	return nil
}

// Size returns how many copies of files the checkpoints of a session hold, and their bytes.
func (s *Store) Size(session string) (copies int, size int64) {
	j := s.Journal(session)
	for _, name := range j.blobs() {
		if fi, err := os.Lstat(filepath.Join(j.dir, name)); err == nil {
			copies++
			size += fi.Size()
		}
	}
	return copies, size
}

// Journal is the list of changes of one session, oldest first. Several goroutines
// may use it at once, and several journals of one session too: each append is
// atomic.
type Journal struct {
	dir  string
	git  Git
	seen seen
	// held is locked for reading between the storing of bytes and the entry that names them.
	held sync.RWMutex
}

// State describes what a path held. The zero State means that the file did not exist.
// The journal stores the bytes with its hash.
type State = ledger.Version

// Entry is one line of a journal: a change, a gap, or a list of reverted turns.
type Entry struct {
	// A change: Turn changed Name, an absolute path or the URI of a document that
	// is not a file. Without After the change was begun; when no entry with After
	// follows, its outcome is not known.
	Turn   string `json:"turn,omitempty"`
	Name   string `json:"name,omitempty"`
	Before State  `json:"before,omitzero"`
	After  *State `json:"after,omitempty"`
	// Command is set when a command made the change.
	Command bool `json:"command,omitempty"`
	// A gap: why what Turn did to Name, a file or a folder, cannot be reverted.
	Gap string `json:"gap,omitempty"`
	// Lost is set on a gap when what Name held may be left only in a file that a
	// command of the turn made or changed.
	Lost bool `json:"lost,omitempty"`
	// The turns whose changes before this line were reverted.
	Undone []string `json:"undone,omitempty"`
	// The turns of the last such line that counts, which does not count any more.
	Redone []string `json:"redone,omitempty"`
}

// fileOfTurn is a file that a turn changes.
type fileOfTurn struct{ turn, name string }

func (e Entry) file() fileOfTurn { return fileOfTurn{e.Turn, e.Name} }

// Hash returns the hash of bytes by which a journal stores them.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Put stores bytes and returns their hash.
func (j *Journal) Put(data []byte) (string, error) {
	hash := Hash(data)
	if j.has(hash, int64(len(data))) {
		return hash, nil
	}
	if err := writeAtomically(j.blob(hash), data); err != nil {
		return "", fmt.Errorf("storing a checkpoint: %w", err)
	}
	return hash, nil
}

// has reports whether bytes of that hash and size are stored.
func (j *Journal) has(hash string, size int64) bool {
	fi, err := os.Stat(j.blob(hash))
	return err == nil && fi.Size() == size
}

func (j *Journal) blob(hash string) string { return filepath.Join(j.dir, hash[:2], hash[2:]) }

// blobs returns the files of the stored contents: their hashes, cut after two digits by a slash.
// Folders that cannot be read are left out.
func (j *Journal) blobs() []string {
	files, _ := fs.Glob(os.DirFS(j.dir), "??/*")
	return slices.DeleteFunc(files, func(name string) bool { return strings.Contains(name, ".") }) // it is being written
}

// Prune deletes the contents that no change needs which could still be reverted, or redone: copies
// that were made in case a command changes a file, and what was reverted. While a content is held
// it does nothing. No turn of the session may run.
func (j *Journal) Prune() error {
	if !j.held.TryLock() {
		return nil
	}
	defer j.held.Unlock()
	data, err := os.ReadFile(j.path())
	if err != nil {
		return fmt.Errorf("pruning the checkpoints: %w", err)
	}
	needed := map[string]bool{}
	entries, _ := entriesOf(data, nil)
	backs, err := j.backs()
	if err != nil {
		return err
	}
	for _, b := range backs {
		for _, e := range linesOf(data) {
			if slices.Contains(b.Undone, e.Turn) {
				entries = append(entries, e)
			}
		}
		for _, f := range b.Files {
			needed[f.Was.Hash], needed[f.Want.Hash] = true, true
		}
	}
	for _, e := range entries {
		needed[e.Before.Hash] = true
		if e.After != nil {
			needed[e.After.Hash] = true
		}
	}
	var errs []error
	for _, name := range j.blobs() {
		if !needed[strings.Replace(name, "/", "", 1)] {
			errs = append(errs, os.Remove(filepath.Join(j.dir, name)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("pruning the checkpoints: %w", err)
	}
	return nil
}

// writeAtomically writes a file atomically.
func writeAtomically(path string, data []byte) error {
	if err := private.Folder(filepath.Dir(path)); err != nil {
		return err
	}
	temp := path + "." + rand.Text()
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// Content returns the content of a state.
func (j *Journal) Content(s State) (Content, error) {
	if s.Hash == "" {
		return Content{}, nil
	}
	if len(s.Hash) != hex.EncodedLen(sha256.Size) {
		return Content{}, fmt.Errorf("reading a checkpoint: invalid hash %q", s.Hash)
	}
	data, err := os.ReadFile(j.blob(s.Hash))
	if err != nil {
		return Content{}, fmt.Errorf("reading a checkpoint: %w", err)
	}
	if Hash(data) != s.Hash {
		return Content{}, fmt.Errorf("reading a checkpoint: the bytes of %s are damaged", s.Hash)
	}
	c := Decode(data)
	c.Mode = s.Mode
	return c, nil
}

// contents returns the contents before and after a change.
func (j *Journal) contents(was, is State) (before, after Content, err error) {
	if before, err = j.Content(was); err == nil {
		after, err = j.Content(is)
	}
	return before, after, err
}

// Add appends entries. They are on the disk when it returns.
func (j *Journal) Add(entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	b := bytes.NewBufferString("\n") // a process may have been killed while it wrote a line
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("storing a checkpoint: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	if err := j.write(b.Bytes()); err != nil {
		return fmt.Errorf("storing a checkpoint: %w", err)
	}
	return nil
}

func (j *Journal) write(lines []byte) error {
	if err := private.Folder(j.dir); err != nil {
		return err
	}
	f, err := private.OpenFile(j.path(), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (j *Journal) path() string { return filepath.Join(j.dir, "changes.jsonl") }

// Entries returns the changes and gaps of those turns that were not reverted,
// oldest first. A change that ended replaces its beginning, and a gap the same one
// before it. A line that does not parse is skipped.
func (j *Journal) Entries(turns []string) ([]Entry, error) {
	if len(turns) == 0 { // not all of them, as for entriesOf
		return nil, nil
	}
	data, err := os.ReadFile(j.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoints: %w", err)
	}
	l, _ := entriesOf(data, turns)
	return l, nil
}

// entriesOf reads a journal for [Journal.Entries], with nil for all turns. compared counts the
// comparisons of two lines.
func entriesOf(data []byte, turns []string) (out []Entry, compared int) {
	var all []Entry
	gone := map[int]bool{}            // of all
	var undone [][]int                // of all: what each line with undone turns reverted
	waiting := map[fileOfTurn][]int{} // those of all that a later line may replace
	for _, e := range linesOf(data) {
		if len(e.Undone) > 0 {
			compared += len(all)
			var reverted []int
			for i, o := range all {
				if !gone[i] && slices.Contains(e.Undone, o.Turn) {
					gone[i] = true
					reverted = append(reverted, i)
				}
			}
			undone = append(undone, reverted)
		}
		if n := len(undone); len(e.Redone) > 0 && n > 0 {
			for _, i := range undone[n-1] {
				delete(gone, i)
			}
			undone = undone[:n-1]
		}
		if e.Turn == "" || turns != nil && !slices.Contains(turns, e.Turn) {
			continue
		}
		k := e.file()
		waiting[k] = slices.DeleteFunc(waiting[k], func(i int) bool {
			compared++
			gone[i] = gone[i] || all[i].replacedBy(e)
			return gone[i]
		})
		if e.Gap != "" || e.begun() {
			waiting[k] = append(waiting[k], len(all))
		}
		all = append(all, e)
	}
	for i, e := range all {
		if !gone[i] {
			out = append(out, e)
		}
	}
	return out, compared
}

// linesOf returns the lines of a journal that parse.
func linesOf(data []byte) (l []Entry) {
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			l = append(l, e)
		}
	}
	return l
}

// begun reports whether the entry is a change without an outcome.
func (e Entry) begun() bool { return e.After == nil && e.Gap == "" }

// replacedBy reports whether a later entry of the same turn and name holds
// everything that e does.
func (e Entry) replacedBy(o Entry) bool {
	switch {
	case e.begun():
		return o.After != nil
	case e.Gap == gapUnended:
		return o.Gap != ""
	}
	return e.Gap != "" && e.Gap == o.Gap
}
