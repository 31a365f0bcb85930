package disk

import (
	"strconv"
	"testing"
)

// What is remembered of files is bounded, and what is in use is not forgotten.
func TestMemoryOfFilesIsBounded(t *testing.T) {
	var m memory
	m.remember("/used", "gbk")
	for i := range 5 * mostEncodings {
		m.remember("/"+strconv.Itoa(i), "euc-jp")
		if i%mostEncodings == 0 && m.encoding("/used") != "gbk" {
			t.Fatalf("after %d others the encoding is %q", i, m.encoding("/used"))
		}
		m.noteShown(strconv.Itoa(i), Hash{1})
	}
	if got := len(m.encodings) + len(m.earlier); got > 2*mostEncodings {
		t.Errorf("%d encodings are remembered", got)
	}
	if m.encoding("/0") != "" || m.encoding("/"+strconv.Itoa(5*mostEncodings-1)) != "euc-jp" {
		t.Error("not the latest ones are remembered")
	}
	if len(m.shown) > mostShown {
		t.Errorf("%d texts are noted", len(m.shown))
	}
	if _, ok := m.takeShown(strconv.Itoa(5*mostEncodings - 1)); !ok {
		t.Error("the last text is not noted")
	}
}
