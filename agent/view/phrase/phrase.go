// Package phrase has every text that emendo says of a conversation, of questions and of hunks,
// by its code. It knows nothing of when one is said.
package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Text is a text for the user, in plain English. A client can translate it by its code and
// arguments.
type Text struct {
	Text  string `json:"text"`
	Code  string `json:"code,omitempty"`
	Args  Args   `json:"args,omitempty"` // strings and numbers by name
	Short string `json:"short,omitempty"`
}

// phrases are all texts, by their codes. {NAME} is an argument: a text, or
// a number as it is; {NAME:ms} is a time in milliseconds, {NAME:tokens} a number of tokens.
// Of "ONE|MANY" the first is for an n of 1.
var phrases = joined(hunkPhrases, listPhrases, plainPhrases, taskPhrases, windowPhrases, map[string]string{
	"turn.working":     "Working…",
	"turn.elsewhere":   "Another process works on this.",
	"turn.answering":   "Answering",
	"turn.asks":        "Waits for your answer",
	"turn.review":      "Waits for your decision on the edits before it",
	"turn.done":        "Done",
	"turn.failed":      "The turn failed.",
	"turn.interrupted": "Interrupted: emendo ended before the turn did.",
	"turn.no_answer":   "The model ended the turn without an answer.",

	"stop.max_tokens":        "The answer reached the model's limit of length.",
	"stop.max_turn_requests": "The turn reached its limit of model requests. Send another prompt to go on.",
	"stop.refusal":           "The provider stopped the answer.",
	"stop.cancelled":         "Cancelled.",
	"stop.loop":              "Stopped: the model repeated itself.",
	"stop.blocked":           "The provider refused the prompt.",

	"fact.time":          "{ms:ms}",
	"fact.tokens":        "{in:tokens} in, {out:tokens} out",
	"fact.cost":          "about {amount} {currency}",
	"fact.cost_under":    "under {amount} {currency}",
	"fact.cost_at_least": "at least {amount} {currency}",
	"fact.model":         "{model}",
	"fact.file":          "{path} +{added} −{removed}",
	"fact.unasked":       "{command}",
	"label.unasked":      "Ran without a question, since the sandbox held it",

	"answer.restarted":    "The connection broke; the answer begins again.",
	"answered.allow_once": "allowed once",
	"answered.option":     "{title}",
	"answered.none":       "not answered",

	"thought":         "Thought",
	"thought.subject": "{subject}",

	"call":             "Call",
	"call.title":       "{title}",
	"call.exit":        "exit {code}",
	"terminal.exit":    "The program has ended: exit {code}",
	"terminal.signal":  "The program was ended by {signal}",
	"terminal.state":   "The command has ended: {state}",
	"terminal.omitted": "{n} byte of the output is left out|{n} bytes of the output are left out",
	"call.signal":      "ended by {signal}",
	"call.time":        "{ms:ms}",
	"call.summary":     "{summary}",
	"call.asks":        "waits for your answer",
	"call.review":      "waits for your decision on the edits before it",
	"call.denied":      "not allowed",
	"call.restricted":  "not allowed: the folder is not trusted",
	"call.rejected":    "rejected",
	"call.cancelled":   "cancelled",
	"call.interrupted": "interrupted",
	"call.failed":      "failed",
	"call.failed_with": "failed: {why}",
	"call.children":    "1 call|{n} calls",
	"label.command":    "Command",
	"part.lost":        "The record of the session no longer has this text.",
	"label.rule":       "Rule",
	"change.create":    "{path} (new) +{added}",
	"change.delete":    "{path} (deleted) −{removed}",
	"change.rename":    "{path} → {to} +{added} −{removed}",
	"edits.pending":    "1 edit to review|{n} edits to review",
	"edits.conflicts":  "1 edit in conflict|{n} edits in conflict",
	"edits.unreviewed": "1 edit applied, not reviewed|{n} edits applied, not reviewed",
	"edits.accepted":   "Accepted",
	"edits.rejected":   "Rejected",
	"edits.superseded": "Superseded",
	"edits.partial":    "Partly accepted",
	"call.rule":        "{rule}",
	"place":            "{path}",
	"place.line":       "{path}:{line}",
	"place.lines":      "{path}:{line}-{last}",

	"plan":               "{done} of {n}",
	"plan.current":       "{done} of {n} · {current}",
	"plan.entry":         "{entry}",
	"notice":             "{title}",
	"compaction.running": "Shortening the history for the model…",
	"compaction.done":    "The history was shortened for the model.",
	"compaction.failed":  "The history could not be shortened.",
	"comment.open":       "Go to the lines",
	"comment.sent":       "Sent in round {round}",
	"comment.stale":      "The lines are gone",
	"compaction.tokens":  "{from:tokens} → {to:tokens} tokens",

	"ask.about":           "{title} {about}",
	"ask.waits":           "Go on before you decide on the edits?",
	"ask.command":         "Run this command?",
	"ask.skill":           "Use the skill {skill}?",
	"ask.read":            "Read this file?|Read these files?",
	"ask.task":            "Send this task to the remote agent?",
	"ask.remote":          "Allow a remote agent to do this?",
	"ask.urls":            "Reach this address?|Reach these addresses?",
	"ask.sampling":        "Let the MCP server {server} ask the model?",
	"ask.mcp":             "Use the tool {tool} of the MCP server {server}?",
	"ask.start_hook":      "Start the hook {name} of this folder?",
	"ask.start_mcp":       "Start the MCP server {name} of this folder?",
	"ask.start_discovery": "Start the tool discovery {name} of this folder?",
	"ask.plan":            "Carry out this plan?",
	"ask.edits":           "Change these files?",
	"ask.call":            "Allow this: {title}?",
	"ask.part":            "{command}",
	"ask.because":         "{reason}",
	"ask.address":         "{url}",
	"ask.address_of":      "{url} (host {host})",
	"ask.changed":         "It has changed since it was approved.",
	"list":                "{items}",

	"ask.form":                "emendo asks",
	"ask.form_model":          "The model asks|The model asks {n} questions",
	"ask.form_server":         "The MCP server {server} asks",
	"ask.form_server_about":   "{about}",
	"ask.form_about":          "{title}: {about}",
	"ask.form_more":           "{title}: {about} …",
	"choice.yes":              "Yes",
	"choice.no":               "No",
	"hint.all":                "{hints}",
	"hint.number":             "A number",
	"hint.integer":            "A whole number",
	"hint.url":                "A web address",
	"hint.email":              "An e-mail address, such as name@example.org",
	"hint.uri":                "A whole address, such as https://example.org/page",
	"hint.date":               "A date, such as 2026-01-31",
	"hint.date_time":          "A date and a time, such as 2026-01-31T14:30:00Z",
	"hint.format":             "In the format {format}",
	"hint.value_between":      "From {least} to {most}",
	"hint.value_least":        "At least {n}",
	"hint.value_most":         "At most {n}",
	"hint.choices_between":    "{least} to {most} of these",
	"hint.choices_least":      "At least {n} of these",
	"hint.choices_most":       "At most {n} of these",
	"hint.characters_between": "{least} to {most} characters",
	"hint.characters_least":   "At least 1 character|At least {n} characters",
	"hint.characters_most":    "At most 1 character|At most {n} characters",
	"hint.example":            "Such as {example}",
	"hint.required":           "Required",
	"hint.default":            "By default {values}",

	"problem.required":         "An answer is required.",
	"problem.choice":           "Choose one of the answers that are offered.",
	"problem.own":              "Write your own answer, or choose another one.",
	"problem.one_choice":       "Choose only one.",
	"problem.one_answer":       "Give only one answer.",
	"problem.number":           "Write a number, such as 12 or 3.5.",
	"problem.integer":          "Write a whole number, such as 12.",
	"problem.url":              "Write a web address that begins with https:// or http://.",
	"problem.email":            "Write an e-mail address, such as name@example.org.",
	"problem.uri":              "Write a whole address, such as https://example.org/page.",
	"problem.date":             "Write a date as year-month-day, such as 2026-01-31.",
	"problem.date_time":        "Write a date and a time, such as 2026-01-31T14:30:00Z.",
	"problem.value_least":      "Write a number of at least {n}.",
	"problem.value_most":       "Write a number of at most {n}.",
	"problem.choices_least":    "Choose at least {n}.",
	"problem.choices_most":     "Choose at most {n}.",
	"problem.characters_least": "Write at least 1 character; these are {given}.|Write at least {n} characters; these are {given}.",
	"problem.characters_most":  "Write at most 1 character; these are {given}.|Write at most {n} characters; these are {given}.",

	"option.answer":         "Send",
	"option.decline":        "Decline",
	"option.decline_detail": "Say that you do not want to answer",
	"option.cancel":         "Close",
	"option.cancel_detail":  "Leave it unanswered",

	"label.task":       "Task",
	"label.remote":     "What it asks",
	"label.plan":       "Plan",
	"label.runs_in":    "Runs in",
	"label.sandbox":    "Sandbox",
	"label.saves":      "Saves first",
	"label.unsaved":    "Does not see the unsaved text of",
	"label.part":       "Runs",
	"label.part_allow": "Allowed",
	"label.part_ask":   "Asks",
	"label.part_deny":  "Denied",
	"label.danger":     "It could destroy something",
	"label.call":       "Waits",
	"label.because":    "Because",
	"label.file":       "File",
	"label.address":    "Address",
	"label.arguments":  "Arguments",
	"label.env":        "Sets",
	"label.headers":    "Sends the headers",
	"label.hosts":      "Reaches",
	"label.scripts":    "Files that it runs",

	"sandbox.a": "Yes: it writes the workspace alone, and has no network",
	"sandbox.b": "Partly: it writes the workspace alone and has no network, but could change metadata of other files",
	"sandbox.c": "None: it can do whatever you can",

	"option.reject_why":        "No, and say why…",
	"option.plan_allow_once":   "Approve",
	"option.plan_allow_always": "Approve and apply edits",
	"option.plan_reject_once":  "Keep planning",
	"option.plan_why":          "Keep planning, and say what to change…",
	"field.reason":             "Why not, and what to do instead",
	"field.plan":               "What to change in the plan",

	"do.stop":             "Stop",
	"do.copy":             "Copy as Markdown",
	"do.copy_all":         "Copy the whole conversation as Markdown",
	"do.edit_again":       "Edit and send again",
	"do.edit_copy":        "Edit and send in a copy of the conversation",
	"do.edit_again_short": "Replace this turn and what follows",
	"do.edit_copy_short":  "Send in a copy",
	"do.back":             "Go back to before this prompt",
	"do.redo":             "Redo what you went back from",
	"do.redo_detail":      "The turns and the files are again as they were before you went back.",
	"do.diff":             "Show the diff",
	"do.terminal":         "Show it in a terminal",
	"do.diff_of":          "Show the diff of {name}",
	"do.review":           "Review",
	"do.accept_n":         "Accept|Accept all {n}",
	"do.reject_n":         "Reject|Reject all {n}",
	"do.fork":             "Copy the conversation up to here",
	"do.again":            "Try again",
	"do.fresh":            "Ask in a new session",

	"ask.rewind":          "What goes back to before this prompt?",
	"rewind.turns":        "This turn would disappear, and the prompt goes back into the input.|{n} turns would disappear, and the prompt goes back into the input.",
	"rewind.left":         "{path}: {reason}",
	"rewind.no_files":     "No file changes.",
	"rewind.both":         "Conversation and files",
	"rewind.conversation": "Conversation alone",
	"rewind.files":        "Files alone",
	"rewind.cancel":       "Leave everything as it is",
	"label.prompt":        "Prompt",
	"label.conversation":  "Conversation",
	"label.files":         "Files",
	"label.conflict":      "In conflict, and left as it is",
	"label.kept":          "Kept",
	"label.restored":      "Restored",
	"label.deleted":       "Deleted",

	"do.accept":      "Accept",
	"do.reject":      "Reject",
	"do.reject_why":  "Reject, and say why…",
	"do.keep":        "Keep",
	"do.undo":        "Undo",
	"do.show":        "Show the difference",
	"do.reopen":      "Decide again",
	"do.apply_again": "Apply again",

	"do.sign_in": "Sign in",
	"do.trust":   "Trust this folder",
	"do.model":   "Choose another model",
	"do.log":     "Show the log",
	"do.doctor":  "Check the setup",

	"do.dismiss": "Dismiss",

	"context.file":            "{name}",
	"context.outside":         "Outside of the workspace",
	"context.prompt":          "Prompt",
	"context.system":          "System prompt",
	"context.tools":           "Tools",
	"context.context_file":    "Instructions",
	"context.memory":          "Memory",
	"context.environment":     "Environment",
	"context.folders":         "Folder tree",
	"context.editor":          "What the editor shows",
	"context.linked":          "Attached files",
	"context.decisions":       "Decisions on edits",
	"context.hidden":          "Ignored, or it may hold secrets",
	"context.hook":            "Hooks",
	"context.session_start":   "Hooks at the start",
	"context.cancelled":       "Cancelled turns",
	"context.summary":         "Summary",
	"context.tool_result":     "Results of tools",
	"context.conversation":    "Conversation",
	"context.reason":          "{reason}",
	"context.from_workspace":  "{reason} · from the workspace",
	"context.from_tool":       "{reason} · from a program",
	"context.from_mcp":        "{reason} · from an MCP server",
	"context.from_web":        "{reason} · from the web",
	"context.from_import":     "{reason} · from another program",
	"context.left_out":        "Left out of the session",
	"context.left_out_prompt": "Left out of the next prompt",

	"model":             "{name}",
	"model.about":       "{about}",
	"model.price":       "{provider} · ${input} in, ${output} out per million tokens",
	"model.unavailable": "Not available: {reason}",

	"rule":         "{text}",
	"rule.admin":   "Of the administrator",
	"rule.user":    "Yours",
	"rule.project": "Of the project",
	"rule.session": "Of this session",
	"rule.builtin": "Built in",

	"error.auth_required":        "Sign in to go on: {why}",
	"error.no_access":            "The model refuses the key: {why}",
	"error.rate_limited":         "The provider takes no more requests for now: {why}",
	"error.rate_limited_until":   "The provider takes no more requests for the next {ms:ms}: {why}",
	"error.quota_exhausted":      "The quota is used up: {why}",
	"error.context_overflow":     "The conversation is too long for the model: shorten it, or begin a new one.",
	"error.edit_conflict":        "{why}",
	"error.untrusted_workspace":  "{why}",
	"error.denied_by_policy":     "{why}",
	"error.provider_unavailable": "The model did not answer: {why}",
	"error.provider_not_found":   "The model does not exist, or is not offered any more: {why}",
	"error.provider_invalid":     "The provider does not accept the request: {why}",
	"error.provider_blocked":     "The provider refused the prompt: {why}",
	"error.tls_untrusted":        "{why}",
	"error.unknown_session":      "This conversation does not exist any more.",
	"error.busy":                 "This conversation is at work, here or in another editor or terminal: wait for it, or begin a new one.",
	"error.folder_gone":          "The folder of this conversation does not exist any more: it can be read and exported, but not continued.",
	"error.invalid_response":     "{why}",
	"error.failed":               "{why}",
	"error.not_sent":             "The prompt was not sent: {why}",
	"error.invalid":              "{why}",
	"error.internal":             "emendo made a mistake and wrote it to its log.",

	"chip":       "{name}",
	"chip.image": "Picture",
	"chip.audio": "Recording",

	"queued":        "{text}",
	"queued.next":   "Next",
	"queued.paused": "Paused",
	"queued.steer":  "For the running turn",

	"status.ready":            "Ready",
	"status.works":            "emendo is working",
	"status.works_short":      "working",
	"status.elsewhere":        "Another process works in this session",
	"status.failed":           "emendo could not start: {why}",
	"status.failed_short":     "error",
	"status.questions":        "1 question waits for your answer|{n} questions wait for your answer",
	"status.questions_short":  "1 question|{n} questions",
	"status.signed_out":       "Not signed in: without a key no model answers",
	"status.signed_out_short": "sign in",
	"status.restricted":       "{folder} is not trusted: emendo reads it and proposes edits; commands and project settings are off",
	"status.restricted_short": "restricted",
	"status.queued":           "1 prompt waits|{n} prompts wait",
	"status.queued_short":     "{n} queued",
	"status.paused":           "The queue is paused: 1 prompt waits until you resume it|The queue is paused: {n} prompts wait until you resume it",
	"status.paused_short":     "queue paused",
	"status.pending":          "1 change waits for your decision|{n} changes wait for your decision",
	"status.pending_short":    "{n} to decide",
	"status.unreviewed":       "1 applied change is not reviewed|{n} applied changes are not reviewed",
	"status.unreviewed_short": "{n} to review",
	"status.mode":             "{mode}",
	"status.model":            "{model}",
	"status.model_auto":       "Automatic",
	"status.context":          "{used:tokens} of {size:tokens} tokens ({percent} %)",
	"status.context_short":    "{percent} %",
	"status.tokens":           "{n:tokens} tokens",
	"status.input_short":      "↑{n:tokens}",
	"status.output_short":     "↓{n:tokens}",
	"status.cost":             "about {amount} {currency}, by the published prices",
	"status.cost_under":       "under {amount} {currency}, by the published prices",
	"status.cost_at_least":    "at least {amount} {currency}; some prices are not known",
	"status.cost_short":       "{amount} {currency}",
	"status.quota":            "{n:tokens} left",
	"status.quota_of":         "{n:tokens} of {limit:tokens} left",
	"status.quota_until":      "{left}, all again at {at}",
	"status.sandbox_a":        "Run in a sandbox without network",
	"status.sandbox_a_short":  "sandboxed, no network",
	"status.sandbox_b":        "Run in a weaker sandbox without network",
	"status.sandbox_b_short":  "weak sandbox, no network",
	"status.sandbox_c":        "Run without a sandbox",
	"status.sandbox_c_short":  "no sandbox",
	"status.asks":             "{why}",
	"label.mode":              "Mode",
	"label.model":             "Model",
	"label.context":           "Context",
	"label.input":             "Input, in all",
	"label.cached":            "Of it cached",
	"label.output":            "Output",
	"label.thoughts":          "Thoughts",
	"label.cost":              "Cost",
	"label.quota":             "The provider accepts, of {of}",
	"label.commands":          "Commands",
	"label.asks":              "Commands that change something ask",

	"do.edit":      "Edit",
	"do.up":        "Move up",
	"do.down":      "Move down",
	"do.front":     "Move to the front",
	"do.steer":     "Send to the running turn",
	"do.interrupt": "Send now, in place of what runs",
	"do.remove":    "Remove",
	"do.resume":    "Resume the queue",
	"do.compact":   "Shorten the history for the model",
	"do.mode":      "Choose another mode",

	"do.edit_again_detail": "It takes the place of this turn and all after it. Files stay as they are.",
	"do.edit_copy_detail":  "This conversation stays as it is, and so do files.",
	"do.compact_detail":    "The model gets a summary of the older part. What you see stays.",
})

// Say returns the phrase with a code. args are names and values in turn; texts have their
// hidden characters spelled out and are on one line.
func Say(code string, args ...any) Text {
	form, ok := phrases[code]
	if !ok {
		panic("phrase: there is no phrase " + code)
	}
	t := Text{Code: code}
	if len(args) > 0 {
		t.Args = make(Args, 0, len(args)/2)
	}
	for i := 0; i < len(args); i += 2 {
		value := args[i+1]
		if s, ok := value.(string); ok {
			value = strings.Clone(visible.Line(visible.OneLine(s))) // s may be a piece of a long text
		}
		t.Args = t.Args.with(args[i].(string), value)
	}
	if one, many, ok := strings.Cut(form, "|"); ok {
		if form = many; t.Args.Get("n") == 1 {
			form = one
		}
	}
	t.Text = t.Args.fill(form)
	return t
}

// shownAs returns a value in a unit of [phrases].
func shownAs(unit string, value any) string {
	switch unit {
	case "ms":
		return span(time.Duration(value.(int64) * 1e6))
	case "tokens":
		return tokens(value.(int64))
	}
	if s, ok := value.(string); ok {
		return s
	}
	return fmt.Sprint(value)
}

// span returns a time as people read it: 0.4 s, 12 s, 3 min 5 s.
func span(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	s := int(d.Round(time.Second).Seconds())
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d min %d s", s/60, s%60)
}

// tokens returns a number in a few characters: 812, 12.3K, 1.2M.
func tokens(n int64) string {
	for _, u := range []struct {
		least  int64
		suffix string
	}{{1e6, "M"}, {1e3, "K"}} {
		if n >= u.least {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(u.least)), ".0") + u.suffix
		}
	}
	return fmt.Sprint(n)
}

// Codes returns the codes of all texts, sorted.
func Codes() []string { return slices.Sorted(maps.Keys(phrases)) }

// English returns the text of a code, with its arguments in braces; empty if there is no such
// code.
func English(code string) string { return phrases[code] }
