package tools

import "testing"

func TestAccess(t *testing.T) {
	none, network := Access{}, Access{Network: true}
	files := Access{Write: []string{"/a\x1b[1m"}, Read: []string{"/b"}, Hosts: []string{"example.com"}}
	switch both := network.Union(files); {
	case !none.IsZero() || network.IsZero() || files.IsZero() || (Access{Hosts: []string{"x"}}).IsZero():
		t.Error("what is nothing")
	case none.Adds(none) || !network.Adds(files) || !files.Adds(network) || both.Adds(both) || network.Adds(both) || files.Adds(both) || !both.Adds(files):
		t.Error("what is more")
	default:
		const want = `the network, the host example.com, writing /a\x1b[1m, reading /b`
		if got := both.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
