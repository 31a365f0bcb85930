package credentials_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/internal/redact"
)

// ring is a keyring in memory.
type ring struct {
	mu    sync.Mutex
	has   map[string]string
	gets  int
	state error         // of Ready where nobody is asked
	hangs chan struct{} // until it is closed; nil: it does not hang
}

func (r *ring) Ready(_ context.Context, prompt bool) error {
	if r.hangs != nil {
		<-r.hangs
	}
	if prompt && errors.Is(r.state, credentials.ErrLocked) {
		return nil // the user types the password
	}
	return r.state
}

func (r *ring) Get(account string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gets++
	secret, ok := r.has[account]
	if !ok {
		return "", credentials.ErrNotFound
	}
	return secret, nil
}

func (r *ring) Set(account, secret string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.has == nil {
		r.has = map[string]string{}
	}
	r.has[account] = secret
	return nil
}

func (r *ring) Delete(account string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.has[account]; !ok {
		return credentials.ErrNotFound
	}
	delete(r.has, account)
	return nil
}

func store(t *testing.T, k credentials.Keyring) credentials.Store {
	t.Helper()
	s := credentials.Store{Dir: filepath.Join(t.TempDir(), "state", "auth"), Secrets: redact.New()}
	if k != nil {
		s.Keyring = credentials.NewGuard(k, 0)
	}
	return s
}

func put(t *testing.T, s credentials.Store, name, secret string, place credentials.Place) (credentials.Entry, error) {
	t.Helper()
	e, why, err := s.Put(t.Context(), name, secret, credentials.Entry{Place: place}, false)
	if err != nil {
		t.Fatal(err)
	}
	return e, why
}

func get(t *testing.T, s credentials.Store, name string) string {
	t.Helper()
	secret, err := s.Get(t.Context(), name)
	if err != nil {
		return "error: " + err.Error()
	}
	return secret
}

func text(t *testing.T, s credentials.Store) string {
	t.Helper()
	b, err := os.ReadFile(s.File())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSecretsAreInTheKeyring(t *testing.T) {
	k := &ring{}
	s := store(t, k)
	if e, why := put(t, s, "openai", "hush-hush-1", ""); e.Place != credentials.InKeyring || why != nil {
		t.Errorf("it is in %+v, %v", e, why)
	}
	if strings.Contains(text(t, s), "hush") {
		t.Errorf("the file is %s", text(t, s))
	}
	other := credentials.Store{Dir: s.Dir, Keyring: credentials.NewGuard(k, 0), Secrets: redact.New()}
	for range 3 {
		if got := get(t, other, "openai"); got != "hush-hush-1" {
			t.Errorf("it is %q", got)
		}
	}
	if k.gets != 1 {
		t.Errorf("the keyring was asked %d times", k.gets)
	}
	if got := other.Secrets.Text("the key is hush-hush-1"); strings.Contains(got, "hush") {
		t.Errorf("it is shown: %s", got)
	}
	put(t, s, "openai", "hush-hush-2", "")
	if got := get(t, other, "openai"); got != "hush-hush-2" {
		t.Errorf("after another process has stored one it is %q", got)
	}
	if found, err := other.Delete(t.Context(), "openai", false); !found || err != nil || len(k.has) != 0 {
		t.Errorf("deleted: %v, %v, the keyring has %v", found, err, k.has)
	}
	if got := get(t, s, "openai"); got != "" {
		t.Errorf("after that it is %q", got)
	}
	if found, err := s.Delete(t.Context(), "openai", false); found || err != nil {
		t.Errorf("deleted again: %v, %v", found, err)
	}
}

// The keyring is asked only for what is in it, and never to find out what there is.
func TestTheKeyringIsAskedLate(t *testing.T) {
	k := &ring{}
	s := store(t, k)
	put(t, s, "openai", "hush-hush-1", "")
	put(t, s, "anthropic", "hush-hush-2", credentials.InFile)
	k.state = errors.New("do not ask")
	all, err := s.All()
	if err != nil || len(all) != 2 || all["openai"].Place != credentials.InKeyring || all["anthropic"].Place != credentials.InFile {
		t.Errorf("there is %v, %v", all, err)
	}
	if e, ok := s.Find("anthropic"); !ok || e.Secret != "" {
		t.Errorf("found %+v, %v", e, ok)
	}
	if got := get(t, s, "anthropic"); got != "hush-hush-2" {
		t.Errorf("in the file is %q", got)
	}
	if got := get(t, s, "gemini"); got != "" {
		t.Errorf("of something else there is %q", got)
	}
	if got := get(t, s, "openai"); got != "error: do not ask" {
		t.Errorf("in the keyring is %q", got)
	}
}

func TestSecretsAreInAFileWithoutAKeyring(t *testing.T) {
	for _, c := range []struct {
		name  string
		ring  credentials.Keyring
		place credentials.Place
		why   string
	}{
		{"none", nil, "", "this process uses no keyring"},
		{"it is locked", &ring{state: credentials.ErrLocked}, "", "the keyring is locked"},
		{"it is not wanted", &ring{}, credentials.InFile, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store(t, c.ring)
			e, why := put(t, s, "openai", "hush-hush-1", c.place)
			if e.Place != credentials.InFile || (why == nil) != (c.why == "") || why != nil && !strings.Contains(why.Error(), c.why) {
				t.Errorf("it is in %+v, because %v", e, why)
			}
			if got := get(t, s, "openai"); got != "hush-hush-1" {
				t.Errorf("it is %q", got)
			}
			if r, ok := c.ring.(*ring); ok && len(r.has) > 0 {
				t.Errorf("the keyring has %v", r.has)
			}
		})
	}
	s := store(t, &ring{state: credentials.ErrLocked})
	if _, _, err := s.Put(t.Context(), "openai", "hush-hush-1", credentials.Entry{Place: credentials.InKeyring}, false); !errors.Is(err, credentials.ErrLocked) {
		t.Errorf("where it has to be the keyring: %v", err)
	}
	if e, why, err := s.Put(t.Context(), "openai", "hush-hush-1", credentials.Entry{}, true); err != nil || why != nil || e.Place != credentials.InKeyring {
		t.Errorf("where the user unlocks it: %+v, %v, %v", e, why, err)
	}
}

// A secret that moves to the file does not stay in the keyring.
func TestSecretsMove(t *testing.T) {
	k := &ring{}
	s := store(t, k)
	put(t, s, "openai", "hush-hush-1", "")
	put(t, s, "openai", "hush-hush-2", credentials.InFile)
	if got := get(t, s, "openai"); got != "hush-hush-2" || len(k.has) != 0 {
		t.Errorf("it is %q, and the keyring has %v", got, k.has)
	}
	put(t, s, "openai", "hush-hush-3", "")
	if got := get(t, s, "openai"); got != "hush-hush-3" || strings.Contains(text(t, s), "hush") {
		t.Errorf("it is %q, and the file is %s", got, text(t, s))
	}
}

// A keyring that hangs costs its time once, and works when it is back.
func TestTheKeyringHangs(t *testing.T) {
	k := &ring{}
	s := store(t, k)
	put(t, s, "openai", "hush-hush-1", "")
	synctest.Test(t, func(t *testing.T) {
		s := credentials.Store{Dir: s.Dir, Keyring: credentials.NewGuard(k, 0)}
		hangs := make(chan struct{})
		k.hangs = hangs
		took := func() time.Duration {
			began := time.Now()
			if secret, err := s.Get(context.Background(), "openai"); !errors.Is(err, credentials.ErrSilent) {
				t.Errorf("it is %q, %v", secret, err)
			}
			return time.Since(began)
		}
		if d := took(); d != credentials.Patience {
			t.Errorf("the first time takes %v", d)
		}
		if d := took(); d != 0 {
			t.Errorf("the second time takes %v", d)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("enough"))
		if err := s.Keyring.Ready(ctx); err == nil {
			t.Error("it is ready")
		}
		close(hangs)
		synctest.Wait()
		if secret, err := s.Get(context.Background(), "openai"); err != nil || secret != "hush-hush-1" {
			t.Errorf("once it is back: %q, %v", secret, err)
		}
	})
}

func TestDeletingFromAKeyringThatIsAway(t *testing.T) {
	k := &ring{}
	s := store(t, k)
	put(t, s, "openai", "hush-hush-1", "")
	k.state = credentials.ErrLocked
	found, err := s.Delete(t.Context(), "openai", false)
	if !found || !errors.Is(err, credentials.ErrLocked) || !strings.Contains(err.Error(), "emendo no longer uses it") {
		t.Errorf("%v, %v", found, err)
	}
	if _, ok := s.Find("openai"); ok {
		t.Error("it is still used")
	}
}

func TestTheFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no modes
	}
	s := store(t, nil)
	put(t, s, "openai", "hush-hush-1", "")
	for _, path := range []string{s.File(), s.Dir} {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, fi.Mode())
		}
	}
	if err := os.Chmod(s.File(), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "openai"); got != "hush-hush-1" {
		t.Errorf("it is %q", got)
	}
	if fi, err := os.Stat(s.File()); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("a file that was opened to others has the mode %v, %v", fi.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir, ".part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// What is in the current folder is not the user's, and what is damaged is not quoted.
func TestOtherFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("auth", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("auth/logins.secret", []byte(`{"openai": {"place": "file", "secret": "planted-key"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := credentials.Store{Dir: "auth"}
	if got := get(t, s, "openai"); got != "" {
		t.Errorf("the key is %q", got)
	}
	if _, _, err := s.Put(t.Context(), "openai", "hush-hush-1", credentials.Entry{}, false); err == nil {
		t.Error("a key is stored in the current folder")
	}
	s = store(t, nil)
	put(t, s, "openai", "hush-hush-1", "")
	if err := os.WriteFile(s.File(), []byte(`{"openai": {"place": "file", "secret": hush-hush-1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "openai"); !strings.Contains(got, "is damaged") || strings.Contains(got, "hush") {
		t.Errorf("of a damaged file: %s", got)
	}
}

func TestManyProcessesStore(t *testing.T) {
	s := store(t, nil)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		all.Go(func() {
			if _, _, err := s.Put(t.Context(), name, "hush-hush-"+name, credentials.Entry{}, false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if got := get(t, s, name); got != "hush-hush-"+name {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// The library's own double stands for the keyring of the system.
func TestTheKeyringOfTheSystem(t *testing.T) {
	keyring.MockInit()
	k := credentials.System(func(string) string { return "" })
	if _, err := k.Get("a"); !errors.Is(err, credentials.ErrNotFound) {
		t.Errorf("at first: %v", err)
	}
	if err := k.Delete("a"); !errors.Is(err, credentials.ErrNotFound) {
		t.Errorf("deleting what is not there: %v", err)
	}
	if err := k.Set("a", "hush"); err != nil {
		t.Error(err)
	}
	if got, err := k.Get("a"); got != "hush" || err != nil {
		t.Errorf("it is %q, %v", got, err)
	}
	if err := k.Delete("a"); err != nil {
		t.Error(err)
	}
	keyring.MockInitWithError(errors.New("broken"))
	if err := k.Set("a", "hush"); err == nil {
		t.Error("a broken keyring stores it")
	}
}
