// Package secret recognises files that hold keys, passwords or tokens: by name,
// by content, and by their place in a home directory. Tools, commands, the
// policy and imports all use it, so that they keep the same files from the
// model. It does not decide anything.
package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Named reports whether a file with that name usually holds keys, passwords or
// tokens. Names are compared as the most lenient file system does.
func Named(path string) bool {
	elements := paths.Elements(path)
	if len(elements) == 0 {
		return false
	}
	for {
		base := elements[len(elements)-1]
		of := copied(base)
		if of == "" || of == base {
			return named(elements)
		}
		elements[len(elements)-1] = of
		if swapFile().MatchString(base) && base[1] != '.' { // Vim puts no second dot before a name that has one
			hidden := slices.Clone(elements)
			hidden[len(hidden)-1] = "." + of
			if named(hidden) {
				return true
			}
		}
	}
}

// copied returns the name of the file of which editors and people keep a copy under a name:
// .env of .env~, #.env#, .env.bak and ..env.swp. It returns the name itself if it is that of
// no copy.
func copied(base string) string {
	if of := swapFile().FindStringSubmatch(base); of != nil {
		return of[1]
	}
	if strings.HasPrefix(base, ".#") {
		return base[len(".#"):]
	}
	if len(base) > 2 && base[0] == '#' && base[len(base)-1] == '#' {
		return base[1 : len(base)-1]
	}
	return copyEnd().ReplaceAllString(base, "")
}

// swapFile matches the name of a file in which Vim keeps unsaved text, and copyEnd what follows
// the name of a file in that of its copy.
var (
	swapFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\.(.+)\.sw[a-p]$`)
	})
	copyEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\.~[0-9]+~|~[0-9]*| copy(?: [0-9]+)?|\.(?:bak|backup|old|orig|save|saved|copy|tmp)[0-9]*)$`)
	})
)

// named is Named for the elements of a path, without copies.
func named(elements []string) bool {
	base := elements[len(elements)-1]
	if slices.Contains(secretNames, base) {
		return true
	}
	if slices.Contains(namesOfTexts, base) {
		return !slices.ContainsFunc(elements[:len(elements)-1], holdsTexts)
	}
	if strings.HasPrefix(base, ".dev.vars.") {
		return !samples(base)
	}
	if name, ok := strings.CutPrefix(base, ".env"); ok && (name == "" || strings.ContainsAny(name[:1], ".-_")) {
		return !samples(base)
	}
	if name, ok := strings.CutSuffix(base, ".env"); ok && name != "" && !strings.ContainsRune("^!)", rune(name[len(name)-1])) { // git's pattern ":^.env" is not such a name
		return !samples(base)
	}
	if strings.HasPrefix(base, "id_") && slices.ContainsFunc(keyKinds, func(k string) bool { return strings.HasPrefix(base[len("id_"):], k) }) {
		return !strings.HasSuffix(base, ".pub")
	}
	if downloaded().MatchString(base) {
		return true
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

// downloaded matches the names under which Google offers credentials.
var downloaded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^client_secret_.+\.json$|-firebase-adminsdk-[a-z0-9-]+\.json$`)
})

// keyBlock matches a private key in its usual form, in a file of its own or in
// a string: the header and part of the first line.
var keyBlock = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nrt]|["'+]|[A-Za-z-]+: [^\n\\]*)*[0-9A-Za-z+/=]{24}`)
})

// credential matches credentials in git's settings: a password or a token in an
// address, a header that authenticates, or a setting for either.
var credential = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)://[^\s/@:"']*:[^\s/@"']+@|https?://[^\s/@:"']{12,}@|^\s*(?:extraheader|[a-z-]*token|[a-z-]*password|[a-z-]*pass|cookie)\s*=\s*["']?[^\s"']|extraheader\s*=.*authorization`)
})

// Held reports whether the text of a file contains a private key or, in a file
// of git's settings, credentials.
func Held(path string, text []byte) bool {
	return keyBlock().Match(text) || Settings(path) && credential().Match(text)
}

// Settings reports whether a path is a file of git's settings, which is a
// secret if it contains credentials.
func Settings(path string) bool {
	elements := paths.Elements(path)
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

// holdsTexts reports whether a folder holds translations by its name, which is that of a
// language or of all of them. There auth.json has the words of a login.
func holdsTexts(folder string) bool {
	return slices.Contains(textFolders, folder) || language.MatchString(folder)
}

var language = regexp.MustCompile(`^[a-z]{2}(?:[-_][a-z]{2,4})?$`)

// samples reports whether a name is that of a sample, such as .env.example.
func samples(base string) bool {
	words := strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune(".-_", r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(sampleWords, word) })
}

var (
	sampleWords = []string{"example", "sample", "template", "dist", "tmpl"}

	keyKinds = []string{"rsa", "dsa", "ecdsa", "ed25519", "xmss"}

	secretNames = []string{
		".envrc", ".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", ".my.cnf",
		".htpasswd", ".s3cfg", ".boto", ".vault-token", ".dockercfg", ".terraformrc", "terraform.rc",
		"credentials", "credentials.json", "credentials.yml", "credentials.yaml", "credentials.toml",
		"client_secret.json", "service-account.json", "service_account.json", "application_default_credentials.json",
		"service-account-key.json", "service_account_key.json", "serviceaccountkey.json", "serviceaccount.json", "kaggle.json", ".dev.vars",
		"secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.properties", ".secrets",
		"credentials.tfrc.json", "kubeconfig", "kubeconfig.yaml", "kubeconfig.yml", ".kubeconfig", "pgpass.conf", ".authinfo", ".authinfo.gpg", "rclone.conf", ".databrickscfg", ".oci_api_key",
		"local.settings.json", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history",
		".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history",
	}

	secretEnds = []string{
		".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".kdb", ".ppk", ".tfvars", ".tfvars.json", ".agekey", ".ovpn", ".secret",
		".tfstate", ".tfstate.backup", ".pkcs12", ".keytab", "-service-account.json", "-adminsdk.json",
	}

	// namesOfTexts lists names of secrets that translations have too.
	namesOfTexts = []string{"auth.json"}
	textFolders  = []string{"locales", "locale", "i18n", "l10n", "intl", "lang", "langs", "language", "languages", "translations", "translation", "messages", "schemas", "schema"}

	secretFolders = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".oci", ".terraform.d"}

	// secretPlaces lists files that are recognised only together with their
	// directory.
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
