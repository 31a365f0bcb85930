package outward

import (
	"strings"

	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// gitValued holds the options before git's own command that take a value.
var gitValued = program.NameSet("-C -c --git-dir --work-tree --namespace --config-env --exec-path --attr-source")

// GitCommand returns git's own command and its arguments; "" if there is none, or if it is
// not literal.
func GitCommand(words []program.Word) (command string, args []program.Word) {
	for len(words) > 0 && words[0].Known && strings.HasPrefix(words[0].Text, "-") {
		if gitValued[words[0].Text] && len(words) > 1 {
			words = words[1:]
		}
		words = words[1:]
	}
	if len(words) == 0 || !words[0].Known {
		return "", nil
	}
	return words[0].Text, words[1:]
}

// gitReads holds git's commands that write nothing but their output, whatever their
// arguments are.
var gitReads = program.NameSet(`status log diff show ls-files rev-parse describe shortlog ls-tree cat-file merge-base rev-list for-each-ref check-ignore check-attr check-mailmap check-ref-format
	blame annotate grep version help count-objects fsck name-rev show-ref show-branch show-index var whatchanged diff-files diff-index diff-tree range-diff cherry format-patch archive ls-remote
	verify-commit verify-tag verify-pack get-tar-commit-id patch-id stripspace column`)
