package langserver

import (
	"slices"
	"strings"
)

// syntaxCodes tells by the source of a problem, in lower case, which codes are those of
// text that cannot be parsed. Sources and codes are those of the servers named beside them.
// What is not here is taken for a problem of meaning.
var syntaxCodes = map[string]func(code string) bool{
	"syntax":        anyCode, // gopls
	"rust-analyzer": codes("syntax-error"),
	"typescript":    tsParses,
	"clang":         clangParses, // clangd
	"ruff":          codes("invalid-syntax"),
	// Pyright gives every problem but those of its parser the name of a rule.
	"pyright": codes(""), "basedpyright": codes(""), "pylance": codes(""),
	"lua syntax check.": anyCode, // lua-language-server
}

// noInclude is clang's code of an include that it does not find.
const noInclude = "pp_file_not_found"

// OfSyntax returns those of the problems in a text, which are all, that are known to be of
// syntax: the text cannot be parsed, whatever other files say. Where clang does not find an
// include, a macro that it does not know looks like one, so none is known to be.
func OfSyntax(all []Diagnostic) []Diagnostic {
	if slices.ContainsFunc(all, func(d Diagnostic) bool { return d.Code == noInclude }) {
		return nil
	}
	var l []Diagnostic
	for _, d := range all {
		if known := syntaxCodes[strings.ToLower(d.Source)]; known != nil && known(d.Code) {
			l = append(l, d)
		}
	}
	return l
}

func anyCode(string) bool { return true }

func codes(all ...string) func(string) bool {
	return func(code string) bool { return slices.Contains(all, code) }
}

// tsParses knows the messages of TypeScript's scanner and parser. The other messages from
// 1000 to 1999 are about the meaning of modules, modifiers and options.
func tsParses(code string) bool {
	return slices.Contains([]string{
		"1002", "1003", "1005", "1007", "1010", "1011", "1012", "1034", "1068", "1069", "1109", "1110", "1121", "1123", "1124", "1125", "1126", "1127", "1128", "1129", "1130", "1131", "1132",
		"1134", "1135", "1136", "1137", "1138", "1139", "1142", "1144", "1145", "1146", "1157", "1160", "1161", "1164", "1177", "1178", "1179", "1180", "1181", "1185", "1198", "1199", "1351",
		"1357", "1380", "1381", "1382", "1389", "1434", "1435", "1436", "1437", "1438", "1440", "1441", "1442", "1443", "1472", "1477", "1478", "1499", "1500", "1501", "1502", "1503", "1508",
		"17002", "17008", "17014", "17015",
	}, code)
}

// clangParses knows the names that clang gives to the messages of its lexer and parser:
// most say what they expected.
func clangParses(code string) bool {
	switch code {
	case "expected_class_or_namespace": // its name is unknown
		return false
	case "extraneous_closing_brace", "unterminated_block_comment", "unterminated_raw_string", "pp_unterminated_conditional", "pp_endif_without_if", "pp_else_without_if",
		"unterminated___pragma", "illegal_decl_array_of_functions", "invalid_token_after_toplevel_declarator", "unexpected_unqualified_id", "catch_without_try":
		return true
	}
	return strings.HasPrefix(code, "expected")
}
