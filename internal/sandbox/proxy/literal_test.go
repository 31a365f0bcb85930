package proxy

import (
	"fmt"
	"net/netip"
	"testing"
)

func TestAddressesAreReadInEveryNotation(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.0.0.1.": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1",
		"0x7f.1": "127.0.0.1", "0x7F000001": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "017700000001": "127.0.0.1", "0x7f.0.0x1": "127.0.0.1",
		"127.0.0.01": "127.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0", "10.258": "10.0.1.2", "192.168.257": "192.168.1.1", "4294967295": "255.255.255.255",
		"[::1]": "::1", "::ffff:127.0.0.1": "::ffff:127.0.0.1",
		"4294967296": "invalid", "256.1.1.1": "invalid", "1.2.3.4.5": "invalid", "09.1": "invalid", "a.1": "invalid", "a.0x7f": "invalid", "1..2": "invalid", "::zz": "invalid",
		"99999999999999999999": "invalid", "1.16777216": "invalid",
		"example.com": "", "1.example.com": "", "0x7f.example": "", "a1": "", "0xg": "", "": "", ".": "", "localhost": "",
	} {
		a, is := Literal(host)
		got := ""
		switch {
		case a.IsValid():
			got = a.String()
		case is:
			got = "invalid"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", host, got, want)
		}
	}
}

// FuzzLiteral writes an address in all notations and reads it again.
func FuzzLiteral(f *testing.F) {
	f.Add(byte(127), byte(0), byte(0), byte(1), uint16(0))
	f.Add(byte(169), byte(254), byte(169), byte(254), uint16(0xffff))
	f.Fuzz(func(t *testing.T, a, b, c, d byte, how uint16) {
		want := netip.AddrFrom4([4]byte{a, b, c, d})
		host := notation([4]byte{a, b, c, d}, how)
		if got, is := Literal(host); !is || got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	})
}

// notation writes an address: the lowest two bits of how choose the number of
// parts, two more for each part its base.
func notation(address [4]byte, how uint16) string {
	parts := int(how%4) + 1
	s := ""
	for i := range parts {
		n := uint32(address[i])
		if i == parts-1 {
			for _, more := range address[i+1:] {
				n = n<<8 | uint32(more)
			}
		}
		s += fmt.Sprintf([]string{"%d", "0x%x", "0%o", "0X%08X"}[how>>(2+2*i)&3], n) + "."
	}
	return s[:len(s)-1]
}
