//go:build unix

package process

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// NewKey returns a random key of 128 bits, in hexadecimal. Package crypto/rand would delay
// the start of every supervisor.
func NewKey() (string, error) {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	defer f.Close()
	b := make([]byte, 16)
	if _, err := io.ReadFull(f, b); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return hex.EncodeToString(b), nil
}
