package agent

import (
	"slices"
	"testing"
)

func TestPlanIsApprovedWithLeaveToEditInATrustedFolderOnly(t *testing.T) {
	kinds := func(trusted bool) (l []OptionKind) {
		for _, o := range planOptions(trusted) {
			l = append(l, o.Kind)
		}
		return l
	}
	if got := kinds(true); !slices.Equal(got, []OptionKind{AllowOnce, AllowAlways}) {
		t.Errorf("trusted: %v", got)
	}
	if got := kinds(false); !slices.Equal(got, []OptionKind{AllowOnce}) {
		t.Errorf("restricted: %v", got)
	}
}
