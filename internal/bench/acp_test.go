package bench

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"testing"
	"time"
)

// acpClient drives `emendo acp` from outside.
type acpClient struct {
	tb  testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int

	updates func(body []byte) // called with each message that is no answer; may be nil
}

func startACP(tb testing.TB, p program) *acpClient {
	tb.Helper()
	c := &acpClient{tb: tb, cmd: exec.Command(p.path, "acp")}
	c.cmd.Dir, c.cmd.Env = p.work, p.env
	in, err := c.cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 64<<10)
	if err := c.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return c
}

// stop ends the agent by closing its input.
func (c *acpClient) stop() {
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	_ = c.cmd.Wait() // the status does not matter
}

// call sends a request and decodes its answer.
func (c *acpClient) call(method string, params, result any) {
	c.tb.Helper()
	c.id++
	b, err := json.Marshal(object{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		c.tb.Fatal(err)
	}
	if _, err := c.in.Write(append(b, '\n')); err != nil {
		c.tb.Fatal(err)
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.tb.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			c.tb.Fatalf("the agent sent what is no JSON: %.200s", line)
		}
		switch {
		case m.Method != "" || m.ID != c.id:
			if c.updates != nil {
				c.updates(line)
			}
		case m.Error != nil:
			c.tb.Fatalf("%s: %s", method, m.Error.Message)
		default:
			if result != nil && json.Unmarshal(m.Result, result) != nil {
				c.tb.Fatalf("%s is answered %s", method, m.Result)
			}
			return
		}
	}
}

// session opens a session in the program's folder.
func (c *acpClient) session(p program) string {
	c.tb.Helper()
	var opened struct{ SessionID string }
	c.call("session/new", object{"cwd": p.work, "mcpServers": []any{}}, &opened)
	return opened.SessionID
}

// prompt runs a turn to its end.
func (c *acpClient) prompt(session, text string) {
	c.tb.Helper()
	c.call("session/prompt", object{"sessionId": session, "prompt": []any{object{"type": "text", "text": text}}}, nil)
}

var acpHello = object{"protocolVersion": 1, "clientCapabilities": object{}}

// agentStart measures `emendo acp`: the time until the answer to initialize, from before
// the process is started, and from the first prompt in a restricted folder to the arrival
// of the whole request.
func agentStart(b *testing.B) []figure {
	m := newModel(b)
	p := newEmendo(b, m)
	hello := func() time.Duration {
		began := time.Now()
		c := startACP(b, p)
		defer c.stop()
		c.call("initialize", acpHello, nil)
		return time.Since(began)
	}
	first := func() time.Duration {
		c := startACP(b, p)
		defer c.stop()
		c.call("initialize", acpHello, nil)
		s := c.session(p)
		began := time.Now()
		c.prompt(s, "first")
		return (<-m.requests).read.Sub(began)
	}
	start, prompt := inTurn(starts, hello, first)
	return []figure{
		{name: "acp: start to the answer of `initialize`", value: start, unit: "ms", budget: 15},
		{name: "acp: first prompt to model request, restricted folder", value: prompt, unit: "ms", budget: 10},
	}
}

// agentRelay measures the delay between the model and an ACP client, and the memory of
// the agent after a prompt, beside the bare server, which speaks LSP.
func agentRelay(b *testing.B) []figure {
	m := newModel(b)
	p := newEmendo(b, m)
	chunks := newSlowly(b, m)
	c := startACP(b, p)
	defer c.stop()
	c.call("initialize", acpHello, nil)
	c.updates = chunks.arrived
	c.prompt(c.session(p), "stream")
	ours, least := chunks.result(), relayed(b, m, newFloor(b, m))
	const name = "acp: relay of a chunk"
	figures := []figure{relayFigure(name, ours, least, 0.50, 0), relayFigure(name, ours, least, 0.99, 1)}
	m.answer = (*answer).done
	agent := func() float64 {
		c := startACP(b, p)
		defer c.stop()
		c.call("initialize", acpHello, nil)
		c.prompt(c.session(p), "hi")
		return rested(func() float64 { return memory(b, c.cmd.Process.Pid) })
	}
	bare := func() float64 {
		e := open(b, newFloor(b, m))
		defer e.stop()
		e.prompt(e.session(), "hi")
		return settled(func() float64 { return memory(b, e.cmd.Process.Pid) })
	}
	return append(figures, figure{name: "acp: idle memory (PSS) after a first prompt", value: agent(), floor: bare(), beside: "bare server", unit: "MiB", budget: 12})
}
