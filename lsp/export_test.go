package lsp

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// Methods returns the methods of a server, sorted.
func Methods() (requests, notifications []string) {
	s := newServer(strings.NewReader(""), io.Discard, Options{})
	return slices.Sorted(maps.Keys(s.requests)), slices.Sorted(maps.Keys(s.notifications))
}

// Commands returns the names of the commands, sorted.
func Commands() []string {
	return newServer(strings.NewReader(""), io.Discard, Options{}).commands.Names()
}

// Initialize sends the params to a server that runs nothing, and encodes its
// answer.
func Initialize(params json.RawMessage) error {
	s := newServer(strings.NewReader(""), io.Discard, Options{ClientPID: 1})
	_ = s.conn.Close() // no task starts
	if len(params) == 0 {
		params = nil
	}
	work, err := s.Request(s.client.Life(), "initialize", params)
	if err != nil {
		return err
	}
	result, err := work(s.client.Life())
	if err != nil {
		return err
	}
	_, err = protocol.Marshal(result)
	return err
}
