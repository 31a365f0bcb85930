package tools

import (
	"path/filepath"
	"slices"
	"strings"
)

// LooksSecret says whether a file of that name usually holds keys, passwords
// or tokens. Only the name counts; it is compared without case. To read such a
// file needs the user's word, and a search leaves it out.
func LooksSecret(path string) bool {
	elements := strings.Split(strings.ToLower(filepath.ToSlash(path)), "/")
	base := elements[len(elements)-1]
	if slices.Contains(secretNames, base) {
		return true
	}
	if name, ok := strings.CutPrefix(base, ".env"); ok && (name == "" || strings.ContainsAny(name[:1], ".-_")) {
		return !samples(base)
	}
	if strings.HasPrefix(base, "id_") && slices.ContainsFunc(keyKinds, func(k string) bool { return strings.HasPrefix(base[len("id_"):], k) }) {
		return !strings.HasSuffix(base, ".pub")
	}
	if slices.Contains(secretExtensions, filepath.Ext(base)) {
		return !samples(base)
	}
	for _, folder := range elements[:len(elements)-1] {
		if slices.Contains(secretFolders, folder) && !strings.HasSuffix(base, ".pub") {
			return true
		}
	}
	n := len(elements)
	return n > 1 && slices.Contains(secretPlaces, elements[n-2]+"/"+base)
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
		"terraform.tfstate", "terraform.tfstate.backup", "terraform.tfvars",
	}

	secretExtensions = []string{
		".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".ppk", ".tfvars", ".agekey",
	}

	secretFolders = []string{".ssh", ".gnupg", ".aws", ".azure"}

	// secretPlaces are files whose name alone says nothing.
	secretPlaces = []string{".kube/config", ".docker/config.json", ".cargo/credentials.toml", "gh/hosts.yml", ".gem/credentials"}
)
