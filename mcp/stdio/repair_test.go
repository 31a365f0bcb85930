package stdio

import "testing"

// What a server means by a result that is not what the protocol says is not lost.
func TestResultsAreRepaired(t *testing.T) {
	for _, tt := range []struct{ result, want string }{
		{`"done"`, `{"content":[{"text":"done","type":"text"}]}`},
		{`42`, `{"content":[{"text":"42","type":"text"}]}`},
		{`{"content":"done"}`, `{"content":[{"text":"done","type":"text"}]}`},
		{`{"content":{"type":"text","text":"one"}}`, `{"content":[{"type":"text","text":"one"}]}`},
		{`{"content":["a",1.5,true,null],"isError":true}`, `{"content":[{"text":"a","type":"text"},{"text":"1.5","type":"text"},{"text":"true","type":"text"}],"isError":true}`},
		{`{"content":[{"type":"markdown","text":"*a*"}]}`, `{"content":[{"text":"*a*","type":"text"}]}`},
		{`{"content":[{"type":"video","url":"x:y"}]}`, `{"content":[{"text":"{\"type\":\"video\",\"url\":\"x:y\"}","type":"text"}]}`},
		{`{"content":[{"type":"text","text":"a"}]}`, `{"content":[{"type":"text","text":"a"}]}`},
		{`{"tools":[]}`, `{"tools":[]}`},
		{`null`, `null`},
		{`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`},
	} {
		if got := string(repaired([]byte(tt.result))); got != tt.want {
			t.Errorf("%s is %s, want %s", tt.result, got, tt.want)
		}
	}
}
