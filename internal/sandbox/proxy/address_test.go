package proxy

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	for _, tt := range []struct {
		address string
		want    bool
	}{
		{"93.184.215.14", true},
		{"2606:2800:21f:cb07:6820:80da:af6b:8b2c", true},
		{"::ffff:93.184.215.14", true},
		{"64:ff9b::5db8:d70e", true},
		{"0.0.0.0", false},
		{"10.1.2.3", false},
		{"100.64.0.1", false},
		{"100.127.255.255", false},
		{"127.0.0.1", false},
		{"127.1.2.3", false},
		{"169.254.169.254", false},
		{"172.16.0.1", false},
		{"172.31.255.255", false},
		{"172.32.0.1", true},
		{"192.168.1.1", false},
		{"192.0.0.170", false},
		{"198.18.0.1", false},
		{"203.0.113.9", false},
		{"224.0.0.251", false},
		{"255.255.255.255", false},
		{"::", false},
		{"::1", false},
		{"::7f00:1", false},
		{"::ffff:127.0.0.1", false},
		{"::ffff:10.0.0.1", false},
		{"64:ff9b::7f00:1", false},
		{"64:ff9b:1::1", false},
		{"2002:7f00:1::1", false},
		{"2002:5db8:d70e::1", true},
		{"2001::1", false},
		{"2001:db8::1", false},
		{"fc00::1", false},
		{"fd12:3456::1", false},
		{"fe80::1", false},
		{"fe80::1%eth0", false},
		{"fec0::1", false},
		{"ff02::fb", false},
	} {
		t.Run(tt.address, func(t *testing.T) {
			if got := Public(netip.MustParseAddr(tt.address)); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if Public(netip.Addr{}) {
		t.Error("no address is a public one")
	}
}
