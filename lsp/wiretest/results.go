package wiretest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// UndeclaredResult describes what of the server's result of a client's request the client
// did not declare, or did not ask for; empty if nothing.
func (c Capabilities) UndeclaredResult(method string, params, result json.RawMessage) string {
	check := map[string]func(params, result json.RawMessage) string{
		"textDocument/codeAction": c.undeclaredActions, "codeAction/resolve": c.undeclaredAction, "textDocument/completion": c.undeclaredCompletion,
		"textDocument/hover": c.undeclaredHover, "textDocument/documentSymbol": c.undeclaredSymbols, "textDocument/foldingRange": c.undeclaredFolds,
		"textDocument/documentLink": c.undeclaredLinks, "initialize": c.undeclaredOffer,
	}[method]
	if check == nil || len(result) == 0 || string(result) == "null" {
		return ""
	}
	return check(params, result)
}

type object = map[string]json.RawMessage

// objects decodes a list of objects.
func objects(raw json.RawMessage) (l []object, problem string) {
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, err.Error()
	}
	return l, ""
}

// word decodes a string; "" if it is none.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func (c Capabilities) undeclaredOffer(_, result json.RawMessage) string {
	var r struct {
		Capabilities struct {
			Encoding string `json:"positionEncoding"`
		}
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return err.Error()
	}
	if e := r.Capabilities.Encoding; e != "" && e != "utf-16" && !c.Lists("general.positionEncodings", e) {
		return "the position encoding " + e + " was not offered"
	}
	return ""
}

func (c Capabilities) undeclaredActions(params, result json.RawMessage) string {
	var p struct{ Context struct{ Only []string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return err.Error()
	}
	l, problem := objects(result)
	if problem != "" {
		return problem
	}
	for _, a := range l {
		kind := word(a["kind"])
		asked := p.Context.Only == nil || word(a["command"]) != "" || slices.ContainsFunc(p.Context.Only, func(only string) bool {
			return kind == only || strings.HasPrefix(kind, only+".") || only == ""
		})
		if !asked {
			return fmt.Sprintf("a code action of the kind %q, but only %q were asked for", kind, p.Context.Only)
		}
		if problem := c.undeclaredInAction(a); problem != "" {
			return problem
		}
	}
	return ""
}

func (c Capabilities) undeclaredAction(_, result json.RawMessage) string {
	var a object
	if err := json.Unmarshal(result, &a); err != nil {
		return err.Error()
	}
	return c.undeclaredInAction(a)
}

func (c Capabilities) undeclaredInAction(a object) string {
	const action = "textDocument.codeAction."
	if word(a["command"]) != "" {
		return "" // a command
	}
	if !c.Has(action + "codeActionLiteralSupport") {
		return "a code action that is not a command needs codeActionLiteralSupport"
	}
	for field, need := range map[string]string{
		"disabled": "disabledSupport", "data": "dataSupport", "isPreferred": "isPreferredSupport", "tags": "tagSupport",
	} {
		if a[field] != nil && !c.Has(action+need) {
			return fmt.Sprintf("%s of a code action needs %s", field, need)
		}
	}
	var tags []float64
	if err := json.Unmarshal(a["tags"], &tags); a["tags"] != nil && err != nil {
		return err.Error()
	}
	for _, t := range tags {
		if !c.Lists(action+"tagSupport.valueSet", t) {
			return fmt.Sprintf("the tag %v of a code action is not declared", t)
		}
	}
	if a["edit"] != nil {
		edit, err := json.Marshal(map[string]any{"edit": a["edit"]})
		if err != nil {
			return err.Error()
		}
		return c.undeclaredInEdit(edit)
	}
	return ""
}

func (c Capabilities) undeclaredCompletion(_, result json.RawMessage) string {
	if result[0] == '{' {
		var list object
		if err := json.Unmarshal(result, &list); err != nil {
			return err.Error()
		}
		if list["itemDefaults"] != nil && !c.Has("textDocument.completion.completionList.itemDefaults") {
			return "itemDefaults of completions need completionList.itemDefaults"
		}
		result = list["items"]
	}
	l, problem := objects(result)
	if problem != "" {
		return problem
	}
	const item = "textDocument.completion.completionItem."
	for _, i := range l {
		for field, need := range map[string]string{
			"labelDetails": "labelDetailsSupport", "commitCharacters": "commitCharactersSupport", "tags": "tagSupport", "preselect": "preselectSupport",
			"insertTextMode": "insertTextModeSupport",
		} {
			if i[field] != nil && !c.Has(item+need) {
				return fmt.Sprintf("%s of a completion needs %s", field, need)
			}
		}
		if string(i["insertTextFormat"]) == "2" && !c.Has(item+"snippetSupport") {
			return "a snippet as completion needs snippetSupport"
		}
		if problem := c.undeclaredMarkup(i["documentation"], item+"documentationFormat"); problem != "" {
			return problem
		}
		var edit object
		if json.Unmarshal(i["textEdit"], &edit) == nil && edit["insert"] != nil && !c.Has(item+"insertReplaceSupport") {
			return "an edit of a completion with insert and replace needs insertReplaceSupport"
		}
	}
	return ""
}

// undeclaredMarkup checks a text that may be MarkupContent.
func (c Capabilities) undeclaredMarkup(raw json.RawMessage, formats string) string {
	var m struct{ Kind string }
	if json.Unmarshal(raw, &m) != nil || m.Kind == "" || c.Lists(formats, m.Kind) {
		return ""
	}
	return fmt.Sprintf("a text in %s needs it in %s", m.Kind, formats)
}

func (c Capabilities) undeclaredHover(_, result json.RawMessage) string {
	var h object
	if err := json.Unmarshal(result, &h); err != nil {
		return err.Error()
	}
	return c.undeclaredMarkup(h["contents"], "textDocument.hover.contentFormat")
}

func (c Capabilities) undeclaredSymbols(_, result json.RawMessage) string {
	l, problem := objects(result)
	if problem != "" {
		return problem
	}
	const symbol = "textDocument.documentSymbol."
	for _, s := range l {
		if s["location"] == nil && !c.Has(symbol+"hierarchicalDocumentSymbolSupport") {
			return "symbols without a location need hierarchicalDocumentSymbolSupport"
		}
		if s["tags"] != nil && !c.Has(symbol+"tagSupport") {
			return "tags of a symbol need tagSupport"
		}
	}
	return ""
}

func (c Capabilities) undeclaredFolds(_, result json.RawMessage) string {
	l, problem := objects(result)
	if problem != "" {
		return problem
	}
	const fold = "textDocument.foldingRange."
	if limit, ok := c.At(fold + "rangeLimit").(float64); ok && float64(len(l)) > limit {
		return fmt.Sprintf("%d folding ranges, more than the limit %v", len(l), limit)
	}
	for _, f := range l {
		if f["collapsedText"] != nil && !c.Has(fold+"foldingRange.collapsedText") {
			return "collapsedText of a folding range needs foldingRange.collapsedText"
		}
	}
	return ""
}

func (c Capabilities) undeclaredLinks(_, result json.RawMessage) string {
	l, problem := objects(result)
	if problem != "" {
		return problem
	}
	for _, link := range l {
		if link["tooltip"] != nil && !c.Has("textDocument.documentLink.tooltipSupport") {
			return "the tooltip of a link needs tooltipSupport"
		}
	}
	return ""
}
