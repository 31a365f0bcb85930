package redact

import "testing"

func TestSettingsAreShownWithoutSecrets(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"NODE_OPTIONS", "--import=data:text/javascript,evil()", "--import=data:text/javascript,evil()"},
		{"LEVEL", "1", "1"},
		{"EMPTY_TOKEN", "", ""},
		{"DOCS_TOKEN", "hunter2", ""},
		{"DOCS_TOKEN", "${env:DOCS_TOKEN}", "${env:DOCS_TOKEN}"},
		{"MY_TOKEN", "--require=./x.js", "--require=./x.js"},
		{"MY_SECRET", "./evil.sh", "./evil.sh"},
		{"API_KEY", "data:text/javascript,evil()", "data:text/javascript,evil()"},
		{"Authorization", "Bearer abcdefgh12345678", ""},
		{"Authorization", "Bearer $TOKEN", "Bearer $TOKEN"},
		{"X-Api-Key", "abc", ""},
		{"X-Client", "me", "me"},
		{"DATABASE", "postgres://me:hunter22@host/db", "postgres://me:[secret]@host/db"},
	} {
		if got, _ := Setting(tt.name, tt.value); got != tt.want {
			t.Errorf("%s=%s is shown as %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}
