// Package secret knows which files hold keys, passwords or tokens: by their
// names, by what is in them, and by where in a home they are. Tools, commands,
// the policy and imports all ask it, so that what one of them keeps from the
// model no other tells. It decides nothing.
package secret

import (
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/protect"
)

// Named reports whether a file of that name usually holds keys, passwords or
// tokens. Only the name counts; it is compared as the most forgiving of file
// systems does.
func Named(path string) bool {
	elements := protect.Elements(path)
	if len(elements) == 0 {
		return false
	}
	base := elements[len(elements)-1]
	if slices.Contains(secretNames, base) {
		return true
	}
	if name, ok := strings.CutPrefix(base, ".env"); ok && (name == "" || strings.ContainsAny(name[:1], ".-_")) {
		return !samples(base)
	}
	if name, ok := strings.CutSuffix(base, ".env"); ok && name != "" && !strings.ContainsRune("^!)", rune(name[len(name)-1])) { // git's pattern ":^.env" is no such name
		return !samples(base)
	}
	if strings.HasPrefix(base, "id_") && slices.ContainsFunc(keyKinds, func(k string) bool { return strings.HasPrefix(base[len("id_"):], k) }) {
		return !strings.HasSuffix(base, ".pub")
	}
	if slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(base, end) }) {
		return !samples(base)
	}
	for _, folder := range elements[:len(elements)-1] {
		if slices.Contains(secretFolders, folder) && !strings.HasSuffix(base, ".pub") {
			return true
		}
	}
	n := len(elements)
	return n > 1 && slices.Contains(secretPlaces, [2]string{elements[n-2], base})
}

// keyBlock is a private key in the form in which most are written, in a file of
// its own or as a string of another: what begins one, and part of its first line.
var keyBlock = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nrt]|["'+]|[A-Za-z-]+: [^\n\\]*)*[0-9A-Za-z+/=]{24}`)

// credential is what a file of git's settings must not tell: a password or a
// token in an address, a header that authenticates, or a setting for either.
var credential = regexp.MustCompile(`(?im)://[^\s/@:"']*:[^\s/@"']+@|https?://[^\s/@:"']{12,}@|^\s*(?:extraheader|[a-z-]*token|[a-z-]*password|[a-z-]*pass|cookie)\s*=\s*["']?[^\s"']|extraheader\s*=.*authorization`)

// Held reports whether the text of a file holds a private key, whatever the file
// is called, or, when it is one of git's settings, credentials.
func Held(path string, text []byte) bool {
	return keyBlock.Match(text) || Settings(path) && credential.Match(text)
}

// Settings reports whether a path is of a file with git's settings, which is a
// secret when there are credentials in it.
func Settings(path string) bool {
	elements := protect.Elements(path)
	if len(elements) == 0 {
		return false
	}
	switch base := elements[len(elements)-1]; base {
	case ".gitconfig", ".gitmodules":
		return true
	case "config", "config.worktree":
		return slices.ContainsFunc(elements[:len(elements)-1], func(e string) bool { return strings.HasSuffix(e, ".git") || e == "git" })
	}
	return false
}

// samples says whether a name is that of a file which shows how another is
// written, such as .env.example.
func samples(base string) bool {
	for _, word := range strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune(".-_", r) }) {
		if slices.Contains(sampleWords, word) {
			return true
		}
	}
	return false
}

var (
	sampleWords = []string{"example", "sample", "template", "dist", "tmpl"}

	keyKinds = []string{"rsa", "dsa", "ecdsa", "ed25519", "xmss"}

	secretNames = []string{
		".envrc", ".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", ".my.cnf",
		".htpasswd", ".s3cfg", ".boto", ".vault-token", ".dockercfg", ".terraformrc", "terraform.rc",
		"credentials", "credentials.json", "credentials.yml", "credentials.yaml", "credentials.toml",
		"client_secret.json", "service-account.json", "service_account.json", "application_default_credentials.json",
		"secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.properties", ".secrets",
		"credentials.tfrc.json", "kubeconfig", ".kubeconfig", ".authinfo", ".authinfo.gpg", "rclone.conf", ".databrickscfg", ".oci_api_key",
		"local.settings.json", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history",
		".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history",
	}

	secretEnds = []string{
		".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".kdb", ".ppk", ".tfvars", ".tfvars.json", ".agekey", ".ovpn", ".secret",
		".tfstate", ".tfstate.backup", ".pkcs12", ".keytab", "-service-account.json", "-adminsdk.json",
	}

	secretFolders = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".oci", ".terraform.d"}

	// secretPlaces are files whose name alone says nothing.
	secretPlaces = [][2]string{
		{".kube", "config"},
		{".docker", "config.json"},
		{".cargo", "credentials.toml"},
		{"gh", "hosts.yml"},
		{".gem", "credentials"},
		{"emendo", "keys"},
		{".m2", "settings.xml"},
		{"containers", "auth.json"},
		{".composer", "auth.json"},
		{"etc", "shadow"},
		{"gcloud", "credentials.db"},
		{"gcloud", "access_tokens.db"},
	}
)
