package resident

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestChangedPagesStay(t *testing.T) {
	const smaps = `00400000-02142000 r-xp 00000000 fe:00 1310721                            /opt/my tools/emendo
Size:              29960 kB
Rss:               23496 kB
Anonymous:             0 kB
02142000-04649000 r--p 01d42000 fe:00 1310721                            /opt/my tools/emendo
Size:              37916 kB
Anonymous:             4 kB
04649000-0479b000 rw-p 04249000 fe:00 1310721                            /opt/my tools/emendo
Anonymous:             0 kB
0479b000-067e5000 rw-p 00000000 00:00 0
Anonymous:             0 kB
7f0000000000-7f0000001000 r--p 00000000 fe:00 99                         /opt/my tools/emendo.old
Anonymous:             0 kB
7ffc00000000-7ffc00021000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
`
	got, err := unchanged(strings.NewReader(smaps), "/opt/my tools/emendo")
	if err != nil {
		t.Fatal(err)
	}
	if want := []mapping{{0x400000, 0x2142000}}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestProgramRunsAfterTrim(t *testing.T) {
	before, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := Trim(); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, after) {
		t.Error("the file of the program has changed")
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := unchanged(maps, self); err != nil || len(found) == 0 {
		t.Errorf("found the mappings %x, %v; want at least one", found, err)
	}
}
