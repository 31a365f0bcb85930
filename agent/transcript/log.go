package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/redact"
)

// Log is the append-only file of one session, with one record per line.
type Log struct {
	path    string
	secrets *redact.Redactor // redacted from records

	mu     sync.Mutex
	f      *os.File // nil until the first record
	read   int64    // bytes that this process has read or written
	last   Record   // the chunk that ends there; zero if none does
	synced bool     // nothing has been written since the last sync
	locked bool
	wrap   func(io.Writer) io.Writer // nil: writes go to the file directly

	index index
}

// How long to wait for a log that another process has locked. The child of a killed
// process keeps the lock between fork and exec.
const (
	lockTries = 6
	lockPause = 50 * time.Millisecond
)

// NewLog returns the log in a file, which need not exist. Secrets are redacted from
// its records.
func NewLog(path string, secrets *redact.Redactor) *Log { return &Log{path: path, secrets: secrets} }

// Path returns the absolute path of the file.
func (l *Log) Path() string { return l.path }

// WrapWrites sends records through a writer around the file, so that tests can
// simulate a full disk. A nil wrap restores the file itself.
func (l *Log) WrapWrites(wrap func(io.Writer) io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrap = wrap
}

// LockedElsewhere reports whether another process has locked the log. The caller
// must not have locked it.
func (l *Log) LockedElsewhere() bool {
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() // which unlocks it
	free, err := private.TryLock(f)
	return err == nil && !free
}

// open opens the file. It creates the file and its folder if necessary, accessible
// only to this user.
func (l *Log) open() error {
	if l.f != nil {
		return nil
	}
	if err := private.Folder(filepath.Dir(l.path)); err != nil {
		return fmt.Errorf("create the sessions folder: %w", err)
	}
	f, err := private.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("open session log: %w", err)
	}
	l.f = f
	return nil
}

// Append writes a record. With sync it is on disk when Append returns. A partly
// written record is truncated.
func (l *Log) Append(r Record, sync bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.line(r)
	if err != nil {
		return err
	}
	b = []byte(l.secrets.Known(string(b)))
	size := len(b)
	if err := l.open(); err != nil {
		return err
	}
	if !l.locked && l.endsWithinLine() { // a killed process left half a line; keep it apart from this one
		b = append([]byte{'\n'}, b...)
	}
	var w io.Writer = l.f
	if l.wrap != nil {
		w = l.wrap(w)
	}
	n, err := w.Write(b)
	end, serr := l.f.Seek(0, io.SeekCurrent) // others may have appended in between
	if err == nil {
		err = serr
	}
	if err != nil {
		err = fmt.Errorf("write session log %s: %w", l.path, err)
	} else if l.synced = false; sync {
		err = l.syncLocked()
	}
	if err == nil {
		l.index.note(r, span{end - int64(size), size})
	}
	if err != nil {
		if l.locked && n > 0 && serr == nil {
			err = errors.Join(err, l.f.Truncate(end-int64(n)))
		}
		l.last = Record{}
		return err
	}
	if l.locked || end == l.read+int64(len(b)) { // nothing else was appended
		l.read, l.last = end, r.chunk()
	}
	return nil
}

// line encodes a record, in the short form only while no other process can write.
func (l *Log) line(r Record) ([]byte, error) {
	if l.locked {
		if b, err := r.short(l.last); b != nil || err != nil {
			return b, err
		}
	}
	return r.line()
}

// endsWithinLine reports whether the file ends within a line.
func (l *Log) endsWithinLine() bool {
	var last [1]byte
	fi, err := l.f.Stat()
	if err != nil || fi.Size() == 0 {
		return false
	}
	_, err = l.f.ReadAt(last[:], fi.Size()-1)
	return err == nil && last[0] != '\n'
}

// Sync flushes the log to disk.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.syncLocked()
}

func (l *Log) syncLocked() error {
	if l.f == nil || l.synced {
		return nil
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("sync session log %s: %w", l.path, err)
	}
	l.synced = true
	return nil
}

// Lock locks the file for a turn: no other process writes until Unlock. It returns the
// records that others have appended since the last read, or [ErrBusy] if another
// process has the lock. It truncates a torn record that a killed process left at the
// end.
func (l *Log) Lock() ([]Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return nil, err
	}
	ok, err := private.TryLock(l.f)
	for range lockTries {
		if ok || err != nil {
			break
		}
		time.Sleep(lockPause)
		ok, err = private.TryLock(l.f)
	}
	if err != nil {
		return nil, fmt.Errorf("lock session log %s: %w", l.path, err)
	}
	if !ok {
		return nil, ErrBusy
	}
	rs, end, err := readRecords(l.f, l.read, &l.last, l.index.note)
	if err == nil {
		err = l.checkFile(end)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read session log %s: %w", l.path, err), private.Unlock(l.f))
	}
	l.read, l.locked = end, true
	return rs, nil
}

// checkFile truncates the file after the last complete record. It fails if another
// process has deleted the file.
func (l *Log) checkFile(end int64) error {
	ours, err := l.f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(l.path); err != nil || !os.SameFile(ours, named) {
		return fmt.Errorf("deleted by another process: %w", ErrUnknownSession)
	}
	if ours.Size() > end {
		return l.f.Truncate(end)
	}
	return nil
}

// Unlock releases the lock.
func (l *Log) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locked = false
	return private.Unlock(l.f)
}

// CatchUp returns the records appended since the last read. It needs no lock: a
// record that is still being written is left for the next call.
func (l *Log) CatchUp() ([]Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open session log: %w", err)
	}
	defer f.Close()
	rs, end, err := readRecords(f, l.read, &l.last, l.index.note)
	if err != nil {
		return nil, fmt.Errorf("read session log %s: %w", l.path, err)
	}
	l.read = end
	return rs, nil
}

// Close closes the file and releases its lock.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// readRecords reads from an offset to the last complete record and returns where
// that ends. It skips lines that are not records. If the log has a later format, it
// fails and returns no records. last is the chunk that ends at the offset, and is
// set to the one that ends at the end. note is told where each record is.
func readRecords(r io.ReaderAt, from int64, last *Record, note func(Record, span)) (rs []Record, end int64, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(r, from, 1<<62), 64<<10)
	var line []byte // one at a time: a log may be larger than what is kept of it
	for end = from; ; {
		line, err = nextLine(in, line[:0])
		if errors.Is(err, io.EOF) {
			return rs, end, nil
		}
		if err != nil {
			return nil, from, err
		}
		rec, err := parseAfter(*last, line[:len(line)-1])
		if errors.Is(err, ErrNewerFormat) {
			return nil, from, err
		}
		if err == nil {
			rs = append(rs, rec)
			note(rec, span{end, len(line)})
		}
		*last = rec.chunk()
		end += int64(len(line))
	}
}

// nextLine appends the next line with its end to a buffer. Text after the last end of a line is
// not a line yet: the error is io.EOF.
func nextLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
