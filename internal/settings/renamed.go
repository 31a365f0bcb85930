package settings

import "strings"

// renamed maps names that settings had in older versions of Gemini CLI, for the
// files that people have, to what they are called.
var renamed = map[string]string{
	"allowedTools": "tools.allowed",
	"approvalMode": "general.defaultApprovalMode",
	"chatCompression.contextPercentageThreshold": "model.compressionThreshold",
	"coreTools":                         "tools.core",
	"skipNextSpeakerCheck":              "model.skipNextSpeakerCheck",
	"contextFileName":                   "context.fileName",
	"excludeTools":                      "tools.exclude",
	"fileFiltering.respectGitIgnore":    "context.fileFiltering.respectGitIgnore",
	"fileFiltering.respectGeminiIgnore": "context.fileFiltering.respectGeminiIgnore",
	"hooks.disabled":                    "hooksConfig.disabled",
	"hooks.enabled":                     "hooksConfig.enabled",
	"hooks.notifications":               "hooksConfig.notifications",
	"includeDirectories":                "context.includeDirectories",
	"maxSessionTurns":                   "model.maxSessionTurns",
	"selectedAuthType":                  "security.auth.selectedType",
	"toolCallCommand":                   "tools.callCommand",
	"toolDiscoveryCommand":              "tools.discoveryCommand",
	"tools.approvalMode":                "general.defaultApprovalMode",
}

// isOldGroup reports whether settings had names below key.
func isOldGroup(key string) bool {
	for old := range renamed {
		if strings.HasPrefix(old, key+".") {
			return true
		}
	}
	return false
}
