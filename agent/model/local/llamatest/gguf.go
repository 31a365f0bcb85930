package llamatest

import (
	"bytes"
	"encoding/binary"
	"math"
)

// alignment of tensors in the file, in bytes.
const alignment = 32

// Types of values in the format.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
)

// writer writes GGUF, version 3.
type writer struct {
	bytes.Buffer
	values int // that were written
}

func (w *writer) u32(n uint32) { w.Write(binary.LittleEndian.AppendUint32(nil, n)) }
func (w *writer) u64(n uint64) { w.Write(binary.LittleEndian.AppendUint64(nil, n)) }

func (w *writer) text(s string) {
	w.u64(uint64(len(s)))
	w.WriteString(s)
}

// key begins a value.
func (w *writer) key(name string, kind uint32) {
	w.values++
	w.text(name)
	w.u32(kind)
}

// value writes a value by its Go type.
func (w *writer) value(name string, v any) {
	switch v := v.(type) {
	case string:
		w.key(name, typeString)
		w.text(v)
	case int:
		w.key(name, typeUint32)
		w.u32(uint32(v))
	case float32:
		w.key(name, typeFloat32)
		w.u32(math.Float32bits(v))
	case bool:
		w.key(name, typeBool)
		b := byte(0)
		if v {
			b = 1
		}
		w.WriteByte(b)
	default:
		panic("llamatest: a value of another type")
	}
}

// list writes an array.
func (w *writer) list(name string, kind uint32, n int, item func(int)) {
	w.key(name, typeArray)
	w.u32(kind)
	w.u64(uint64(n))
	for i := range n {
		item(i)
	}
}

func (w *writer) pad() {
	for w.Len()%alignment != 0 {
		w.WriteByte(0)
	}
}

// file returns the beginning of the model's file, and the size of the whole, in bytes.
// What is missing are zeros.
func (m *network) file() (begin []byte, size int) {
	var values writer
	for _, v := range []struct {
		name  string
		value any
	}{
		{"general.architecture", "llama"},
		{"general.name", "words"},
		{"general.file_type", 0},
		{"llama.block_count", 1},
		{"llama.context_length", context},
		{"llama.embedding_length", m.width},
		{"llama.feed_forward_length", m.inner},
		{"llama.attention.head_count", 1},
		{"llama.attention.head_count_kv", 1},
		{"llama.attention.key_length", head},
		{"llama.attention.value_length", head},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-6)},
		{"llama.rope.dimension_count", head},
		{"llama.rope.freq_base", float32(base)},
		{"llama.vocab_size", len(m.tokens)},
		{"tokenizer.ggml.model", "llama"},
		{"tokenizer.ggml.bos_token_id", 1},
		{"tokenizer.ggml.eos_token_id", 2},
		{"tokenizer.ggml.unknown_token_id", 0},
		{"tokenizer.ggml.add_bos_token", true},
		{"tokenizer.ggml.add_eos_token", false},
		{"tokenizer.ggml.add_space_prefix", false},
		{"tokenizer.chat_template", template},
	} {
		values.value(v.name, v.value)
	}
	values.list("tokenizer.ggml.tokens", typeString, len(m.tokens), func(i int) { values.text(m.tokens[i].text) })
	values.list("tokenizer.ggml.scores", typeFloat32, len(m.tokens), func(i int) { values.u32(math.Float32bits(m.tokens[i].score)) })
	values.list("tokenizer.ggml.token_type", typeInt32, len(m.tokens), func(i int) { values.u32(uint32(m.tokens[i].kind)) })

	tensors := m.tensors()
	var out writer
	out.WriteString("GGUF")
	out.u32(3)
	out.u64(uint64(len(tensors)))
	out.u64(uint64(values.values))
	out.Write(values.Bytes())
	at := 0
	for _, t := range tensors {
		out.text(t.name)
		dims := []int{t.cols, t.rows}
		if t.rows == 0 {
			dims = dims[:1]
		}
		out.u32(uint32(len(dims)))
		for _, n := range dims {
			out.u64(uint64(n))
		}
		out.u32(0) // 32-bit floats
		out.u64(uint64(at))
		at += (4*t.cols*max(t.rows, 1) + alignment - 1) / alignment * alignment
	}
	out.pad()
	size = out.Len() + at
	for _, t := range tensors {
		out.pad()
		for _, f := range t.data {
			out.u32(math.Float32bits(f))
		}
	}
	return out.Bytes(), size
}
