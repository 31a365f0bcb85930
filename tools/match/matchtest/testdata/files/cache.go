package cache

import (
	"container/list"
	"errors"
	"sync"
	"time"
)

// ErrMissing says that nothing is stored under a key.
var ErrMissing = errors.New("cache: no such key")

type entry struct {
	key     string
	value   []byte
	expires time.Time
}

// Cache holds the entries that were used last, up to a limit.
type Cache struct {
	mu       sync.Mutex
	order    *list.List // newest first
	byKey    map[string]*list.Element
	capacity int
	maxBytes int
	bytes    int
	now      func() time.Time
}

// New makes a cache of at most capacity entries and maxBytes bytes.
func New(capacity, maxBytes int) *Cache {
	return &Cache{
		order:    list.New(),
		byKey:    make(map[string]*list.Element),
		capacity: capacity,
		maxBytes: maxBytes,
		now:      time.Now,
	}
}

// Get returns the value of a key and makes it the newest.
func (c *Cache) Get(key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byKey[key]
	if !ok {
		return nil, ErrMissing
	}
	e := element.Value.(*entry)
	if !e.expires.IsZero() && c.now().After(e.expires) {
		c.remove(element)
		return nil, ErrMissing
	}
	c.order.MoveToFront(element)
	return e.value, nil
}

// Peek returns the value of a key and leaves its age alone.
func (c *Cache) Peek(key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byKey[key]
	if !ok {
		return nil, ErrMissing
	}
	e := element.Value.(*entry)
	return e.value, nil
}

// Put stores a value; a ttl of zero keeps it until it is pushed out.
func (c *Cache) Put(key string, value []byte, ttl time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var expires time.Time
	if ttl > 0 {
		expires = c.now().Add(ttl)
	}
	if element, ok := c.byKey[key]; ok {
		e := element.Value.(*entry)
		c.bytes += len(value) - len(e.value)
		e.value, e.expires = value, expires
		c.order.MoveToFront(element)
	} else {
		c.byKey[key] = c.order.PushFront(&entry{key, value, expires})
		c.bytes += len(value)
	}
	for c.order.Len() > c.capacity || c.bytes > c.maxBytes {
		c.remove(c.order.Back())
	}
}

// Delete forgets a key.
func (c *Cache) Delete(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byKey[key]
	if ok {
		c.remove(element)
	}
	return ok
}

// remove takes an element out; c.mu is held.
func (c *Cache) remove(element *list.Element) {
	e := c.order.Remove(element).(*entry)
	delete(c.byKey, e.key)
	c.bytes -= len(e.value)
}
