package disk

import "sync"

// Options are what a process knows of its user. The zero value knows nothing.
type Options struct {
	// Copies is the folder in which a file that is written in place is kept until it is
	// complete. It is made if it is missing, and must be the user's alone. Trees that are
	// made later use it. Without it, a folder of temporary files is used, which [Recover]
	// does not know.
	Copies string
	// Locale is the user's, such as "ja_JP.UTF-8". It decides between encodings that bytes
	// fit equally.
	Locale string
}

// Configure sets the options of the process. The last ones count.
func Configure(o Options) {
	ours.mu.Lock()
	defer ours.mu.Unlock()
	ours.known = o
}

// ours is what this process knows: it belongs to the process and not to a tree, since
// several trees lead to one file, and a crash ends all of them.
var ours memory

const (
	mostEncodings = 4000 // files whose encoding is remembered, twice
	mostShown     = 1000 // texts that are noted
)

// memory is all that this package remembers between calls.
type memory struct {
	mu    sync.Mutex
	known Options
	// encodings and earlier are the encodings of files, by absolute path: what was once
	// guessed stays, so that an edit does not change the guess, and an editor may know
	// better. What was not asked for while as many others were is forgotten.
	encodings, earlier map[string]string
	// shown are the hashes of the texts that an editor has opened, by absolute path, until
	// their bytes are read.
	shown map[string]Hash
}

func (m *memory) options() Options {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// remember remembers the encoding of a file.
func (m *memory) remember(path, encoding string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store(path, encoding)
}

func (m *memory) store(path, encoding string) {
	if _, known := m.encodings[path]; !known && len(m.encodings) >= mostEncodings || m.encodings == nil {
		m.encodings, m.earlier = map[string]string{}, m.encodings
	}
	m.encodings[path] = encoding
}

// encoding returns the remembered encoding of a file; "" if it is not known.
func (m *memory) encoding(path string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name := m.encodings[path]; name != "" {
		return name
	}
	name := m.earlier[path]
	if name != "" {
		m.store(path, name)
	}
	return name
}

// noteShown notes the hash of a text that an editor has opened for a file.
func (m *memory) noteShown(path string, text Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown == nil || len(m.shown) == mostShown {
		m.shown = map[string]Hash{}
	}
	m.shown[path] = text
}

// takeShown returns what was noted for a file, and forgets it.
func (m *memory) takeShown(path string) (text Hash, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok = m.shown[path]
	delete(m.shown, path)
	return text, ok
}
