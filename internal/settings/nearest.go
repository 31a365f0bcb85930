package settings

import "github.com/emendo-dev/emendo/internal/spelling"

// nearest returns the declared key or group of keys with the smallest edit
// distance to key.
func nearest(key string) string {
	var all []string
	for _, d := range declared() {
		all = append(all, d.key)
		for i, c := range d.key {
			if c == '.' {
				all = append(all, d.key[:i])
			}
		}
	}
	near, _ := spelling.Nearest(key, all)
	return near
}
