package proxy

import (
	"net/netip"
)

// closed lists the ranges that are not the public network: the machine, local
// networks, and ranges reserved for documentation, tests and future use. It
// includes ranges that embed another address, except those that [Public]
// decodes.
var closed = parse(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// These embed an IPv4 address, from the given byte on.
var (
	translated = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
)

// Public reports whether an address is in the public network, in any notation.
func Public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	b := a.As16()
	switch {
	case translated.Contains(a):
		a = netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(a):
		a = netip.AddrFrom4([4]byte(b[2:]))
	}
	for _, r := range closed {
		if r.Contains(a) {
			return false
		}
	}
	return true
}

func parse(ranges ...string) []netip.Prefix {
	var l []netip.Prefix
	for _, r := range ranges {
		l = append(l, netip.MustParsePrefix(r))
	}
	return l
}
