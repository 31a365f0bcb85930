package bench

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// firstWord measures the time from writing a prompt to the arrival of the whole
// request, for prompts after a session's first.
func firstWord(b *testing.B) []figure {
	m := newModel(b)
	once := func(p program) func() time.Duration {
		e := open(b, p)
		var s string
		n := 0
		return func() time.Duration {
			if n++; n%20 == 1 { // few sessions are longer
				s = e.session()
				e.prompt(s, "first")
				<-m.requests
			}
			began := time.Now()
			e.prompt(s, "and then?")
			return (<-m.requests).read.Sub(began)
		}
	}
	ours, least := inTurn(301, once(newEmendo(b, m)), once(newFloor(b, m)))
	return []figure{{name: "prompt to model request, later prompts", value: ours, floor: least, beside: "bare server", unit: "ms", budget: 2}}
}

// firstPrompt measures the time from a new server's first prompt to the arrival of
// the whole request, and the difference between a trusted folder, where commands may
// run, and a restricted one. The same without an editor.
func firstPrompt(b *testing.B) []figure {
	m := newModel(b)
	first := func(trust string) func() time.Duration {
		p := newEmendo(b, m)
		p.trust = trust
		return func() time.Duration {
			e := open(b, p)
			defer e.stop()
			s := e.session()
			began := time.Now()
			e.prompt(s, "first")
			return (<-m.requests).read.Sub(began)
		}
	}
	alone := func(flags ...string) func() time.Duration {
		p := newEmendo(b, m)
		return func() time.Duration {
			cmd := exec.Command(p.path, append(append([]string{"run"}, flags...), "-p", "hi")...)
			cmd.Dir, cmd.Env = p.work, p.env
			began := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			return (<-m.requests).read.Sub(began)
		}
	}
	trusted, restricted := inTurn(starts, first("trusted"), first("restricted"))
	run, held := inTurn(starts, alone("--trust"), alone())
	return []figure{
		{name: "first prompt to model request, restricted folder", value: restricted, unit: "ms"},
		{name: "the same in a trusted folder, beyond a restricted one", value: trusted - restricted, unit: "ms", budget: 10},
		{name: "headless start to model request, restricted folder", value: held, unit: "ms"},
		{name: "the same in a trusted folder, beyond a restricted one", value: run - held, unit: "ms", budget: 10},
	}
}

// stamped matches the time in a chunk at which it was sent, in nanoseconds.
const stamped = "sent="

var epoch = time.Now()

// slowly is a stream of chunks that are sent so slowly that none overlap, each with
// the time at which it was sent.
type slowly struct {
	b      *testing.B
	delays []time.Duration // from the model's write to the editor's read
}

const slowChunks = 1500

// newSlowly has the model answer with such a stream.
func newSlowly(b *testing.B, m *modelServer) *slowly {
	m.answer = func(a *answer) {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for range slowChunks {
			select {
			case <-tick.C:
			case <-a.gone:
				return
			}
			a.say(stamped + strconv.FormatInt(time.Since(epoch).Nanoseconds(), 10) + ";")
			a.flush()
		}
		a.done()
	}
	return &slowly{b: b, delays: make([]time.Duration, 0, slowChunks)}
}

// arrived notes the chunks in a message.
func (s *slowly) arrived(body []byte) {
	now := time.Since(epoch)
	for {
		_, rest, ok := bytes.Cut(body, []byte(stamped))
		if !ok {
			return
		}
		digits, after, _ := bytes.Cut(rest, []byte(";"))
		sent, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil {
			s.b.Errorf("a chunk has no time: %.100s", rest)
		}
		s.delays, body = append(s.delays, now-time.Duration(sent)), after
	}
}

// result returns the delays but the first, which are for warming up.
func (s *slowly) result() []time.Duration {
	if len(s.delays) != slowChunks {
		s.b.Fatalf("%d of %d chunks came", len(s.delays), slowChunks)
	}
	return s.delays[slowChunks/10:]
}

// relayed returns the delays of chunks on their way to an editor.
func relayed(b *testing.B, m *modelServer, p program) []time.Duration {
	chunks := newSlowly(b, m)
	e := open(b, p)
	defer e.stop()
	e.updates = chunks.arrived
	e.prompt(e.session(), "stream")
	return chunks.result()
}

// relayFigure returns a quantile of the delays.
func relayFigure(name string, ours, least []time.Duration, q, budget float64) figure {
	return figure{
		name: fmt.Sprintf("%s, p%.0f", name, q*100), value: ms(quantile(ours, q)), floor: ms(quantile(least, q)),
		beside: "bare server", unit: "ms", budget: budget,
	}
}

// relay measures the delay between the model and the editor.
func relay(b *testing.B) []figure {
	m := newModel(b)
	ours, least := relayed(b, m, newEmendo(b, m)), relayed(b, m, newFloor(b, m))
	const name = "relay of a chunk"
	half := relayFigure(name, ours, least, 0.50, 2.5)
	half.times = true
	return []figure{half, relayFigure(name, ours, least, 0.99, 0.8)}
}

// chunks measures the chunks per second that are relayed when the model does not
// pause. Waiting ones are merged; all their text arrives.
func chunks(b *testing.B) []figure {
	const many = 100_000
	const word = "words"
	said := make([]string, many) // all different, so that no loop is detected
	for i := range said {
		said[i] = fmt.Sprintf("%s %d, ", word, i)
	}
	m := newModel(b)
	rate := func(p program) float64 {
		e := open(b, p)
		defer e.stop()
		s := e.session()
		m.answer = (*answer).done
		e.prompt(s, "first")
		m.answer = func(a *answer) {
			for _, text := range said {
				a.say(text)
			}
			a.done()
		}
		got := 0
		e.updates = func(body []byte) { got += bytes.Count(body, []byte(word)) }
		began := time.Now()
		e.prompt(s, "stream")
		took := time.Since(began)
		if got != many {
			b.Fatalf("%d of %d chunks came", got, many)
		}
		return many / took.Seconds()
	}
	var ours, least []float64
	for range 3 {
		ours, least = append(ours, rate(newEmendo(b, m))), append(least, rate(newFloor(b, m)))
	}
	return []figure{{name: "chunks relayed a second", value: median(ours), floor: median(least), beside: "bare server", unit: "/s", budget: 15_000, least: true}}
}
