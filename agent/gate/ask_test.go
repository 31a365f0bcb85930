package gate

import (
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
)

func TestAutoEditIsOfferedInTrustedFoldersOnly(t *testing.T) {
	kinds := func(trusted bool) (l []frontend.OptionKind) {
		for _, o := range planOptions(trusted) {
			l = append(l, o.Kind)
		}
		return l
	}
	if got := kinds(true); !slices.Equal(got, []frontend.OptionKind{frontend.AllowOnce, frontend.AllowAlways}) {
		t.Errorf("trusted: %v", got)
	}
	if got := kinds(false); !slices.Equal(got, []frontend.OptionKind{frontend.AllowOnce}) {
		t.Errorf("restricted: %v", got)
	}
}
