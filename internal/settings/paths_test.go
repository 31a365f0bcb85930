package settings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindPaths(t *testing.T) {
	for _, tt := range []struct {
		name, goos string
		env        map[string]string
		want       Paths
		wantErr    string
	}{
		{
			name: "a home alone", goos: "linux", env: map[string]string{"HOME": "/home/ada"},
			want: Paths{Config: "/home/ada/.config/emendo", State: "/home/ada/.local/state/emendo", Cache: "/home/ada/.cache/emendo", System: "/etc/emendo"},
		},
		{
			name: "XDG folders, a relative one ignored", goos: "linux",
			env:  map[string]string{"HOME": "/home/ada", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "s", "XDG_CACHE_HOME": "/k"},
			want: Paths{Config: "/c/emendo", State: "/home/ada/.local/state/emendo", Cache: "/k/emendo", System: "/etc/emendo"},
		},
		{
			name: "EMENDO_HOME stands for all", goos: "linux",
			env:  map[string]string{"EMENDO_HOME": "/e", "HOME": "/home/ada", "XDG_CONFIG_HOME": "/c"},
			want: Paths{Config: "/e/config", State: "/e/state", Cache: "/e/cache", System: "/etc/emendo"},
		},
		{
			name: "macOS", goos: "darwin", env: map[string]string{"HOME": "/Users/ada"},
			want: Paths{
				Config: "/Users/ada/Library/Application Support/emendo", State: "/Users/ada/Library/Application Support/emendo",
				Cache: "/Users/ada/Library/Caches/emendo", System: "/Library/Application Support/emendo",
			},
		},
		{
			name: "Windows", goos: "windows", env: map[string]string{"AppData": "/r", "LocalAppData": "/l", "ProgramData": "/p"},
			want: Paths{Config: "/r/emendo", State: "/l/emendo", Cache: "/l/emendo/cache", System: "/p/emendo"},
		},
		{name: "Windows without a folder of the administrator's", goos: "windows", env: map[string]string{"AppData": "/r", "LocalAppData": "/l"}, wantErr: "ProgramData is not set: set it to the folder of all users' programs, C:\\ProgramData as a rule"},
		{name: "with EMENDO_HOME neither", goos: "windows", env: map[string]string{"EMENDO_HOME": "/e"}, wantErr: "ProgramData is not set: set it to the folder of all users' programs, C:\\ProgramData as a rule"},
		{name: "no home", goos: "linux", wantErr: "HOME is not set: set it, or set EMENDO_HOME to the folder where emendo may keep its files"},
		{name: "a relative home", goos: "linux", env: map[string]string{"HOME": "h"}, wantErr: "HOME is a relative path: set it to an absolute one, or set EMENDO_HOME to the folder where emendo may keep its files"},
		{name: "a relative EMENDO_HOME", goos: "linux", env: map[string]string{"EMENDO_HOME": "e"}, wantErr: "EMENDO_HOME is a relative path: set it to an absolute one"},
		{name: "Windows without folders", goos: "windows", env: map[string]string{"ProgramData": "/p"}, wantErr: "AppData or LocalAppData is not set: set EMENDO_HOME to the folder where emendo may keep its files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FindPaths(tt.goos, func(name string) string { return tt.env[name] })
			said := ""
			if err != nil {
				said = err.Error()
			}
			if diff := cmp.Diff(got, tt.want); diff != "" || said != tt.wantErr {
				t.Errorf("error %q, want %q; paths differ (-got +want):\n%s", said, tt.wantErr, diff)
			}
		})
	}
}
