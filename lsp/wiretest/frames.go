package wiretest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Frames takes the bytes of one side of a connection apart into messages.
type Frames struct {
	Each func(body []byte) // is called with each message
	rest bytes.Buffer
}

// Write implements [io.Writer]. Bytes that are not frames are ignored.
func (f *Frames) Write(b []byte) (int, error) {
	f.rest.Write(b)
	for {
		head, _, ok := bytes.Cut(f.rest.Bytes(), []byte("\r\n\r\n"))
		if !ok {
			return len(b), nil
		}
		length := -1
		for line := range strings.SplitSeq(string(head), "\r\n") {
			name, value, _ := strings.Cut(line, ":")
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && strings.EqualFold(name, "Content-Length") {
				length = n
			}
		}
		if length < 0 {
			f.rest.Next(len(head) + 4)
			continue
		}
		if f.rest.Len() < len(head)+4+length {
			return len(b), nil
		}
		f.rest.Next(len(head) + 4)
		f.Each(f.rest.Next(length))
	}
}

// Beside returns writers for what the client and the server write, which have the checker
// read every message.
func (c *Checker) Beside() (client, server *Frames) {
	read := func(server bool) *Frames {
		return &Frames{Each: func(body []byte) {
			m := Message{Server: server}
			if err := json.Unmarshal(body, &m); err != nil {
				m = Message{Server: server, Method: "not JSON: " + string(body)}
			}
			m.Server = server
			c.Read(m)
		}}
	}
	return read(false), read(true)
}
