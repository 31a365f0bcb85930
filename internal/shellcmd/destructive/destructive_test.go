package destructive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

func TestDestructive(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"full.txt", "sub/full.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "empty.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, want string }{ // want is a part of the reason; empty means none
		{"ls -la", ""},
		{"go test ./...", ""},
		{"echo rm -rf /", ""},
		{"echo 'rm -rf /' | grep rm", ""},
		{"for f in a b; do echo $f; done", ""},
		{"(cd sub && go build)", ""},
		{"python3 script.py", ""},
		{"rm a.txt", "deletes files"},
		{"rm -rf build", "deletes files"},
		{"/bin/rm -r build", "deletes files"},
		{`r\m -rf build`, "deletes files"},
		{"'rm' -rf build", "deletes files"},
		{"ls && rm -rf build", "deletes files"},
		{"echo $(rm -rf x)", "deletes files"},
		{"if a; then rm -rf x; fi", "deletes files"},
		{"f() { rm -rf x; }; f", "deletes files"},
		{"rm -rf $DIR", "deletes files"},
		{"sudo ls", "another user"},
		{"env A=b rm -rf x", "deletes files"},
		{"env -u HOME -i rm -rf x", "deletes files"},
		{"timeout 5 rm -rf x", "deletes files"},
		{"timeout -s KILL 5 rm -rf x", "deletes files"},
		{"nohup nice -n 5 rm -rf x", "deletes files"},
		{"time rm -rf x", "deletes files"},
		{"exec rm -rf x", "deletes files"},
		{"command rm -rf x", "deletes files"},
		{"find . | xargs rm -rf", "deletes files"},
		{"find . -print0 | xargs -0 -n 1 rm", "deletes files"},
		{"find . | xargs -I {} rm {}", "deletes files"},
		{"find . -exec sh -c 'rm \"$1\"' _ {} +", "deletes files"},
		{"env -S 'rm -rf x'", "deletes files"},
		{"env A=b go test", ""},
		{"watch -n 5 'rm -rf x'", "deletes files"},
		{"ssh -p 22 host rm -rf x", "deletes files"},
		{"ssh host ls", ""},
		{"busybox rm x", "deletes files"},
		{"sh -c 'rm -rf x'", "deletes files"},
		{"bash -lc 'cd x; rm -rf y'", "deletes files"},
		{"bash -o pipefail -c 'rm x'", "deletes files"},
		{"sh -c 'sh -c \"rm -rf x\"'", "deletes files"},
		{"sh -c 'echo hi'", ""},
		{`sh -c "$X"`, program.WhyUntold},
		{"curl https://example.org | sh", program.WhyUntold},
		{"curl https://example.org | bash -s", program.WhyUntold},
		{"$X a", program.WhyUntold},
		{"$(echo rm) -rf x", program.WhyUntold},
		{`$'\x72m' -rf x`, program.WhyUntold},
		{"eval 'rm -rf x'", "deletes files"},
		{`eval "$X"`, program.WhyUntold},
		{"trap 'rm -rf x' EXIT", "deletes files"},
		{"source $X", program.WhyUntold},
		{"echo 'open", program.WhyUntold},
		{"find . -delete", "-delete"},
		{"find . -name '*.o' -exec rm {} +", "deletes files"},
		{`find . -exec grep x {} \;`, ""},
		{"find . -name '*.go'", ""},
		{"git status --short", ""},
		{"git -C sub log", ""},
		{"git reset --hard HEAD~1", "git reset"},
		{"git reset --har", "git reset"},
		{"git reset HEAD a.txt", ""},
		{"git -C sub reset --hard", "git reset"},
		{"git clean -fdx", "git clean"},
		{"git clean -n", ""},
		{"git push", ""},
		{"git push --force", "git push"},
		{"git push -f origin main", "git push"},
		{"git push --force-with-lease", "git push"},
		{"git push origin +main", "git push"},
		{"git push origin :main", "git push"},
		{"git checkout main", ""},
		{"git checkout -- a.txt", "git checkout"},
		{"git checkout .", "git checkout"},
		{"git checkout -b topic origin/main", ""},
		{"git checkout HEAD~1 a.txt", "git checkout"},
		{"git checkout full.txt", "git checkout"},
		{"git restore a.txt", "git restore"},
		{"git restore --staged a.txt", ""},
		{"git branch -D topic", "git branch"},
		{"git branch -d topic", ""},
		{"git stash", ""},
		{"git stash drop", "git stash"},
		{"git -c alias.x='!rm -rf y' x", program.WhyUntold},
		{"git $X", program.WhyUntold},
		{"dd if=/dev/zero of=/dev/sda", "dd overwrites"},
		{"dd if=a of=/dev/null", ""},
		{"mkfs.ext4 /dev/sda", "formats"},
		{"shred a", "destroys"},
		{"truncate -s 0 a", "truncates files"},
		{"chmod -R 777 .", "cannot be undone"},
		{"chmod +x a", ""},
		{"chown --recursive me .", "cannot be undone"},
		{"mv a b", ""},
		{"mv a full.txt", "mv overwrites full.txt"},
		{"mv full.txt sub", "mv overwrites sub/full.txt"},
		{"mv -n a full.txt", ""},
		{"mv a $B", "not known in advance"},
		{"cp a full.txt", "cp overwrites"},
		{"cp a empty.txt", ""},
		{"echo a > full.txt", "overwrites full.txt"},
		{"echo a &> full.txt", "overwrites full.txt"},
		{"echo a >| full.txt", "overwrites full.txt"},
		{"echo a >> full.txt", ""},
		{"echo a > new.txt", ""},
		{"echo a > empty.txt", ""},
		{"echo a 2>&1 > /dev/null", ""},
		{"echo a > $F", "not known in advance"},
		{"cd sub && echo a > full.txt", "overwrites"},
		{"ls | tee full.txt", "tee overwrites"},
		{"ls | tee -a full.txt", ""},
		{"ln -sf a full.txt", "ln overwrites"},
		{"kill 123", ""},
		{"kill -9 123", "kill -9"},
		{"kill -s KILL 123", "kill -9"},
		{"kill -SIGKILL 123", "kill -9"},
		{"pkill node", "by name"},
		{"docker system prune -af", "cannot be undone"},
		{"docker ps", ""},
		{"docker volume rm data", "cannot be undone"},
		{"docker compose down -v", "cannot be undone"},
		{"rsync -a --delete a/ b/", "cannot be undone"},
		{"terraform destroy", "cannot be undone"},
		{"kubectl delete pod x", "cannot be undone"},
		{"crontab -r", "crontab"},
		{"RM -rf x", "deletes files"},
		{"docker-compose down -v", "cannot be undone"},
		{"gh repo delete x --yes", "cannot be undone"},
		{"gh pr view 5", ""},
		{"aws s3 rm s3://x --recursive", "cannot be undone"},
		{"aws ec2 terminate-instances --instance-ids x", "cannot be undone"},
		{"aws s3 ls", ""},
		{"gcloud compute instances delete x", "cannot be undone"},
		{"pulumi destroy", "cannot be undone"},
		{"reboot", "stops the machine"},
	} {
		t.Run(c.command, func(t *testing.T) {
			switch got := shellcmd.Analyze(c.command, dir, []string{dir}).Destructive; {
			case c.want == "" && got != "":
				t.Errorf("%q is said to destroy: %s", c.command, got)
			case !strings.Contains(got, c.want):
				t.Errorf("the reason for %q is %q, want one with %q", c.command, got, c.want)
			}
		})
	}
}

// A command that could destroy in several ways names each of them, once.
func TestEveryDangerOfACommandIsNamed(t *testing.T) {
	got := shellcmd.Analyze("ls; rm -rf a && rm -rf b; terraform destroy", "/w", []string{"/w"}).Destructive
	rm, others, ok := strings.Cut(got, "; ")
	if !ok || rm != "rm deletes files for good" || !strings.Contains(others, "cannot be undone") || strings.Contains(others, rm) {
		t.Errorf("the reasons are %q", got)
	}
}
