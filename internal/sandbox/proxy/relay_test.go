package proxy

import (
	"bufio"
	"io"
	"net"
	"testing"
)

// A host may have said everything and still read: the answer to an upload can come before
// its end.
func TestAnAnswerBeforeTheEndOfAnUploadIsWhole(t *testing.T) {
	const answer, upload = 200_000, 500_000
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	host, front := listen(), listen()
	got := make(chan int64, 1)
	go func() {
		c, err := host.Accept()
		if err != nil {
			got <- -1
			return
		}
		defer c.Close()
		_, _ = c.Write(make([]byte, answer))
		_ = c.(*net.TCPConn).CloseWrite()
		n, _ := io.Copy(io.Discard, c)
		got <- n
	}()
	go func() {
		in, err := (&bounded{Listener: front, free: make(chan struct{}, 1)}).Accept()
		if err != nil {
			return
		}
		defer in.Close()
		out, err := net.Dial("tcp", host.Addr().String())
		if err != nil {
			return
		}
		defer out.Close()
		relay(in, bufio.NewReader(in), out)
	}()
	c, err := net.Dial("tcp", front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n, err := io.Copy(io.Discard, c) // all of the answer
	if n != answer || err != nil {
		t.Errorf("the client got %d bytes of the answer, %v", n, err)
	}
	if _, err := c.Write(make([]byte, upload)); err != nil {
		t.Error(err)
	}
	_ = c.(*net.TCPConn).CloseWrite()
	if n := <-got; n != upload {
		t.Errorf("the host got %d bytes of the upload", n)
	}
}
