package proxy

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"
)

// Literal parses a host that is an address, in every notation that programs
// accept: the usual ones, and those of inet_aton, in which an IPv4 address has
// one to four numbers, decimal, octal or hexadecimal, and the last stands for
// all bytes that are left (127.1, 0x7f000001, 2130706433). It reports whether
// the host is an address. An invalid address means that the host ends in a
// number and is none: no host has such a name.
func Literal(host string) (a netip.Addr, is bool) {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if a, err := netip.ParseAddr(host); err == nil {
		return a, true
	}
	if strings.Contains(host, ":") {
		return netip.Addr{}, true
	}
	parts := strings.Split(strings.TrimRight(host, "."), ".")
	if last := parts[len(parts)-1]; !digits(last) && !hexadecimal(last) {
		return netip.Addr{}, false
	}
	if len(parts) > 4 {
		return netip.Addr{}, true
	}
	var all uint64
	for i, part := range parts {
		n, err := number(part)
		left := 8 * uint(4-i) // bits
		if i < len(parts)-1 {
			left = 8
		}
		if err != nil || n>>left != 0 {
			return netip.Addr{}, true
		}
		if i < len(parts)-1 {
			n <<= 8 * uint(3-i)
		}
		all |= n
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(all)) //nolint:gosec // each part was checked to fit
	return netip.AddrFrom4(b), true
}

// number parses one number of an address as inet_aton does.
func number(s string) (uint64, error) {
	switch {
	case hexadecimal(s):
		if len(s) == 2 {
			return 0, nil
		}
		return strconv.ParseUint(s[2:], 16, 64)
	case len(s) > 1 && s[0] == '0':
		return strconv.ParseUint(s, 8, 64)
	}
	return strconv.ParseUint(s, 10, 64)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func hexadecimal(s string) bool {
	return len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x' && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
}
