// Package llamatest makes a language model for tests of real llama.cpp servers: a LLaMA of
// one layer whose weights are computed, so that the last known word in the prompt chooses
// what it answers. It owns the file's format and the weights. It starts no server.
package llamatest

import (
	"fmt"
	"math"
	"os"
	"strings"
)

// Answer is what the model says after a word.
type Answer struct {
	Word string // in the prompt; one of the [Markers] counts as well
	// Pieces are the tokens of the answer. No two of a model may be equal.
	Pieces []string
	// Forever has the last piece followed by the first.
	Forever bool
}

// The tokens around messages. Each stands before the text of its role; a system prompt has
// none that counts.
const (
	User      = "<|user|>"
	Tool      = "<|tool|>"
	System    = "<|system|>"
	assistant = "<|assistant|>"
	end       = "<|end|>"
)

// Markers are the words that every conversation has: an answer for [User] is given to
// prompts without another word, and one for [Tool] after results.
var Markers = []string{User, Tool}

// template renders conversations. Calls are JSON in tags, which servers can parse.
const template = `{%- if messages[0].role == 'system' %}<|system|>{{ messages[0].content }}{%- endif %}
{%- if tools %}
You may call these functions:
<tools>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
</tools>
Write each call as JSON:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{%- endif %}<|end|>
{%- for m in messages %}
{%- if m.role == 'user' %}<|user|>{{ m.content }}<|end|>
{%- elif m.role == 'assistant' %}<|assistant|>{{ m.content or '' }}
{%- for call in m.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|end|>
{%- elif m.role == 'tool' %}<|tool|>{{ m.content }}<|end|>
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{%- endif %}`

// Dimensions of the model. Words are told apart in the values of its only head.
const (
	head       = 32
	rootOfHead = 5.656854
	context    = 1 << 17 // tokens that it claims to have been trained for
	base       = 2e5     // of the rotations: the slowest turns by 0.9 rad over 65,536 tokens
)

// Weights. The latest word wins, since what the slowest rotation adds to its score falls by
// more than the others of a softmax can make up for within ten tokens.
const (
	recency = 80_000
	follow  = 40 // of the piece after the one that was said
	begin   = 20 // of a first piece at the beginning of an answer, and after its word
)

// Options of [Write].
type Options struct {
	Answers []Answer
	Text    string // what prompts are like: what is frequent in it becomes tokens
	Heavy   bool   // the model takes some time to load
}

// Write writes a model to a file.
func Write(path string, o Options) error {
	m, err := compile(o.Answers, o.Text)
	if err != nil {
		return err
	}
	if m.inner = 32; o.Heavy {
		m.inner = 1 << 19
	}
	begin, size := m.file()
	if err := os.WriteFile(path, begin, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, int64(size)) // the rest are zeros
}

// network is a model before it is written.
type network struct {
	tokens []token
	width  int // of the residual stream
	inner  int // of the feed-forward network, which adds nothing
	// dims has the dimension of each token that matters; all others have 0.
	dims   map[string]int
	words  []string
	output map[string]map[int]float32 // weights of tokens, by dimension
}

// Types of tokens in the format.
const (
	normal  = 1
	unknown = 2
	control = 3
	defined = 4
	aByte   = 6
)

type token struct {
	text  string
	kind  int32
	score float32
}

// compile lays out a model.
func compile(answers []Answer, text string) (*network, error) {
	m := &network{dims: map[string]int{assistant: 1}, output: map[string]map[int]float32{}}
	m.tokens = []token{{"<unk>", unknown, 0}, {"<s>", control, 0}, {end, control, 0}, {assistant, control, 0}, {System, control, 0}}
	for b := range 256 {
		m.tokens = append(m.tokens, token{fmt.Sprintf("<0x%02X>", b), aByte, 0})
	}
	m.width = 2
	add := func(text string, kind int32) error {
		if _, ok := m.dims[text]; ok || text == "" {
			return fmt.Errorf("llamatest: %q is empty, or there twice", text)
		}
		m.dims[text] = m.width
		m.width++
		m.tokens = append(m.tokens, token{text, kind, 0})
		return nil
	}
	for _, marker := range Markers {
		if err := add(marker, control); err != nil {
			return nil, err
		}
	}
	for _, a := range answers {
		if a.Word != User && a.Word != Tool {
			if err := add(a.Word, defined); err != nil {
				return nil, err
			}
		}
		m.words = append(m.words, a.Word)
		for _, p := range a.Pieces {
			if err := add(p, defined); err != nil {
				return nil, err
			}
		}
	}
	if len(m.words) > head {
		return nil, fmt.Errorf("llamatest: %d words are more than %d", len(m.words), head)
	}
	chosen := m.width // the first dimension of those that tell which word was the last
	m.width += len(m.words)
	for i, a := range answers {
		m.weigh(a.Pieces[0], m.dims[assistant], begin)
		m.weigh(a.Pieces[0], chosen+i, begin)
		for j, p := range a.Pieces[1:] {
			m.weigh(p, m.dims[a.Pieces[j]], follow)
		}
		after := end
		if a.Forever {
			after = a.Pieces[0]
		}
		m.weigh(after, m.dims[a.Pieces[len(a.Pieces)-1]], follow)
	}
	m.learn(text)
	return m, nil
}

func (m *network) weigh(text string, dim int, weight float32) {
	if m.output[text] == nil {
		m.output[text] = map[int]float32{}
	}
	m.output[text][dim] += weight
}

// merges is how many tokens are learnt from a text.
const merges = 1000

// learn adds tokens that are frequent in a text, so that prompts like it take fewer: in
// the order in which the most frequent pair of neighbours becomes one token.
func (m *network) learn(text string) {
	var parts []string
	for _, r := range strings.ReplaceAll(text, " ", "▁") {
		parts = append(parts, string(r))
	}
	for n := range merges {
		seen := map[[2]string]int{}
		var best [2]string
		for i := 1; i < len(parts); i++ {
			pair := [2]string{parts[i-1], parts[i]}
			seen[pair]++
			if more := seen[pair] - seen[best]; more > 0 || more == 0 && pair[0]+pair[1] < best[0]+best[1] {
				best = pair
			}
		}
		if seen[best] < 2 {
			return
		}
		merged := best[0] + best[1]
		if _, taken := m.dims[merged]; !taken {
			m.tokens = append(m.tokens, token{merged, normal, -float32(n + 1)})
		}
		kept := parts[:0]
		for i := 0; i < len(parts); i++ {
			if i+1 < len(parts) && parts[i] == best[0] && parts[i+1] == best[1] {
				kept = append(kept, merged)
				i++
				continue
			}
			kept = append(kept, parts[i])
		}
		parts = kept
	}
}

// tensor is a matrix, its rows one after the other, or a vector. Without data it is zero;
// such tensors come last.
type tensor struct {
	name       string
	cols, rows int // of a vector rows is 0
	data       []float32
}

func (t *tensor) set(row, col int, value float32) { t.data[row*t.cols+col] = value }

// tensors computes the weights.
func (m *network) tensors() []*tensor {
	var all []*tensor
	matrix := func(name string, rows, cols int) *tensor {
		t := &tensor{name, cols, rows, make([]float32, rows*cols)}
		all = append(all, t)
		return t
	}
	ones := func(name string) {
		t := &tensor{name, m.width, 0, make([]float32, m.width)}
		for i := range t.data {
			t.data[i] = 1
		}
		all = append(all, t)
	}
	d := m.width
	root := float32(math.Sqrt(float64(d))) // of the only value in a normalized embedding
	embedding, output := matrix("token_embd.weight", len(m.tokens), d), matrix("output.weight", len(m.tokens), d)
	for i, t := range m.tokens {
		embedding.set(i, m.dims[t.text], 1)
		for dim, weight := range m.output[t.text] {
			output.set(i, dim, weight)
		}
	}
	ones("output_norm.weight")
	ones("blk.0.attn_norm.weight")
	ones("blk.0.ffn_norm.weight")
	q, k, v, o := matrix("blk.0.attn_q.weight", head, d), matrix("blk.0.attn_k.weight", head, d), matrix("blk.0.attn_v.weight", head, d), matrix("blk.0.attn_output.weight", d, head)
	for dim := range d { // every token looks for words; the scores are divided by the root of head
		q.set(head-2, dim, recency*rootOfHead/root*float32(math.Cos(math.Pi/4)))
		q.set(head-1, dim, recency*rootOfHead/root*float32(math.Sin(math.Pi/4)))
	}
	for i, word := range m.words {
		k.set(head-2, m.dims[word], 1/root)
		v.set(i, m.dims[word], 1/root)
		o.set(d-len(m.words)+i, i, 1)
	}
	return append(all, &tensor{"blk.0.ffn_gate.weight", d, m.inner, nil}, &tensor{"blk.0.ffn_up.weight", d, m.inner, nil}, &tensor{"blk.0.ffn_down.weight", m.inner, d, nil})
}
