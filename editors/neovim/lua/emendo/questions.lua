-- Questions of the server: whether a call may run, and what the model asks. A
-- question stands as a block in the panel and waits; it takes no focus, and only
-- a command or <CR> on one of its answers in the panel answers it.
local ask = require('emendo.elicit')
local events = require('emendo.events')
local tell = require('emendo.tell')

local M = {}

---@class emendo.Question
---@field kind 'permission'|'elicit'
---@field session string
---@field call string? the id of the call that waits
---@field params table as the server sent it
---@field text string in one line
---@field block emendo.Block
---@field lines table<integer, string> the answer that a line of the block gives
---@field thread thread waits for the answer
---@type emendo.Question[]
M.open = {}

--- Text of the model's as it can be shown: what a screen hides is spelt out.
local function visible(text)
  return vim.fn.strtrans(text)
end

local function split(text)
  return vim.tbl_map(visible, vim.split(vim.trim(text), '\n', { plain = true }))
end

--- What a folder's own settings would start.
local function executable(e)
  local lines = split(e.command or '')
  if #(e.scripts or {}) > 0 then
    table.insert(lines, 'with ' .. visible(table.concat(e.scripts, ', ')))
  end
  if #(e.env or {}) > 0 then
    table.insert(lines, 'sets ' .. visible(table.concat(e.env, ', ')))
  end
  if e.changed then
    table.insert(lines, 'It has changed since you approved it.')
  end
  return lines
end

--- What a permission is about: a line, and lines in full.
local function about(params)
  local p, call = params.preview or {}, params.toolCall or {}
  if p.command then
    return 'run this in ' .. visible(vim.fn.fnamemodify(p.cwd or '.', ':~')), split(p.command)
  elseif p.paths then
    return 'read ' .. visible(table.concat(p.paths, ', ')), {}
  elseif p.serverName then
    return ('call %s of %s'):format(visible(p.toolName or '?'), visible(p.serverName)), split(vim.inspect(p.args))
  elseif p.urls then
    return 'fetch', vim.tbl_map(visible, p.urls)
  elseif p.executable then
    return ('start the %s %s of this folder'):format(p.executable.kind, visible(p.executable.name or '')), executable(p.executable)
  elseif p.planUri then
    return 'go on with its plan', { visible(p.planUri) }
  end
  return visible(call.title or 'go on'), {}
end

local function file_names(uris)
  return table.concat(
    vim.tbl_map(function(u)
      return visible(vim.fn.fnamemodify(vim.uri_to_fname(u), ':~:.'))
    end, uris),
    ', '
  )
end

---@param q emendo.Question
local function render_permission(q)
  local title, body = about(q.params)
  q.text = 'may it ' .. title .. (body[1] and ': ' .. body[1] or '') .. '?'
  local head = { '? emendo asks: may it ' .. title .. '?' }
  for _, line in ipairs(body) do
    table.insert(head, '    ' .. line)
  end
  local unsaved = vim.tbl_get(q.params, 'preview', 'unsaved') or {}
  if #unsaved > 0 then
    table.insert(head, '  Not saved, so it would see the text on disk: ' .. file_names(unsaved))
  end
  q.lines = {}
  for _, option in ipairs(q.params.options or {}) do
    q.lines[#head] = option.optionId
    table.insert(head, '  ▸ ' .. option.name)
  end
  table.insert(head, '  (<CR> on an answer here, or :Emendo permission)')
  return head
end

---@param q emendo.Question
---@param head string[]
local function marks(q, head)
  local list = { { line = 0, from = 0, to = #head[1], group = 'EmendoQuestion' } }
  for i = 1, #head - 1 do
    if q.lines[i] then
      table.insert(list, { line = i, from = 0, to = #head[i + 1], group = 'EmendoOption' })
    end
  end
  table.insert(list, { line = #head - 1, from = 0, to = #head[#head], group = 'EmendoHunk' })
  return list
end

--- Puts a question and waits for its answer, in the coroutine of its handler.
---@param q emendo.Question
---@param render fun(q: emendo.Question): string[]
local function put(q, render)
  local session = require('emendo.session')
  local s = session.all[q.session]
  local transcript = s and s.transcript or session.lobby
  q.thread = coroutine.running()
  q.transcript = transcript
  local head = render(q)
  q.block = transcript:add({ kind = 'question', head = head, marks = marks(q, head), question = q })
  table.insert(M.open, q)
  tell.hint(q.text .. '  :Emendo permission', vim.log.levels.WARN)
  events.fire('Question', { session = q.session, call = q.call, kind = q.kind })
  return coroutine.yield()
end

--- Takes a question off the list; what came of it stays in the panel.
---@param q emendo.Question
---@param outcome string
local function close(q, outcome)
  M.open = vim.tbl_filter(function(o)
    return o ~= q
  end, M.open)
  q.block.question = nil
  local line = (q.kind == 'elicit' and '? ' .. q.text .. ' → ' or '→ ') .. outcome
  q.block.head = { line }
  q.block.marks = { { line = 0, from = 0, to = #line, group = 'EmendoToolDetail' } }
  q.transcript:change(q.block, 'all')
  events.fire('Question', { session = q.session, call = q.call, kind = q.kind, outcome = outcome })
end

--- Answers a question and has the server told.
---@param q emendo.Question
---@param answer table
---@param outcome string in the user's words
local function answer(q, reply, outcome)
  if vim.tbl_contains(M.open, q) then
    close(q, outcome)
    coroutine.resume(q.thread, reply)
  end
end

--- Handles emendo/session/requestPermission.
function M.on_permission(params)
  local q = { kind = 'permission', session = params.sessionId, call = vim.tbl_get(params, 'toolCall', 'toolCallId'), params = params }
  return put(q, render_permission)
end

--- Handles emendo/session/elicit.
function M.on_elicit(params)
  return put({ kind = 'elicit', session = params.sessionId, params = params }, ask.render)
end

--- Withdraws the question of a call that does not wait any more: it was answered
--- elsewhere, or its turn was cancelled.
---@param s emendo.Session
---@param update table
function M.on_call(s, update)
  local state = vim.tbl_get(update, '_meta', 'emendo', 'state')
  for _, q in ipairs(M.open) do
    if q.session == s.id and q.call == update.toolCallId and state and state ~= 'awaiting_approval' then
      return answer(q, { outcome = 'cancelled' }, 'answered elsewhere, or cancelled')
    end
  end
end

--- Withdraws the questions of a session whose turn has ended.
---@param session string
function M.on_end(session)
  for _, q in ipairs(vim.list_extend({}, M.open)) do
    if q.session == session then
      answer(q, q.kind == 'elicit' and { cancelled = true } or { outcome = 'cancelled' }, 'the turn ended')
    end
  end
end

--- Takes every question off the list: the server that asked has ended.
function M.clear()
  for _, q in ipairs(vim.list_extend({}, M.open)) do
    close(q, 'the server ended')
  end
end

--- Says again what a session asks that is shown now.
---@param s emendo.Session?
function M.show(s)
  for _, q in ipairs(M.open) do
    if s and q.session == s.id then
      tell.hint(q.text .. '  :Emendo permission', vim.log.levels.WARN)
    end
  end
end

--- The question to be answered next: the oldest of the session that is shown,
--- else the oldest of all.
---@return emendo.Question?
function M.next()
  local current = require('emendo.session').current
  for _, q in ipairs(M.open) do
    if current and q.session == current.id then
      return q
    end
  end
  return M.open[1]
end

---@param q emendo.Question
---@param option table
---@param feedback? string
local function choose(q, option, feedback)
  answer(q, { outcome = 'selected', optionId = option.optionId, feedback = feedback }, option.name)
end

--- Has the user choose by vim.ui.select.
---@param q emendo.Question
local function select(q)
  local items = {}
  for _, option in ipairs(q.params.options or {}) do
    table.insert(items, { option = option, name = option.name })
    if option.kind == 'reject_once' then
      table.insert(items, { option = option, name = option.name .. ', and say why', why = true })
    end
  end
  vim.ui.select(items, {
    prompt = 'emendo: ' .. q.text,
    kind = 'emendo.permission',
    format_item = function(item)
      return item.name
    end,
  }, function(item)
    if not item then
      return -- it waits on
    elseif not item.why then
      return choose(q, item.option)
    end
    vim.ui.input({ prompt = 'Why not: ' }, function(why)
      if why then
        choose(q, item.option, why ~= '' and why or nil)
      end
    end)
  end)
end

--- Answers the question that waits: with an option's id, kind or name, or by
--- vim.ui.select.
---@param option? string
function M.answer(option)
  local q = M.next()
  if not q then
    return tell.info('nothing is asked')
  end
  if q.kind == 'elicit' then
    return ask.run(q, function(reply, outcome)
      answer(q, reply, outcome)
    end)
  end
  if not option then
    return select(q)
  end
  for _, o in ipairs(q.params.options or {}) do
    if o.optionId == option or o.kind == option or o.name == option then
      return choose(q, o)
    end
  end
  tell.warn(('there is no answer %q; there are: %s'):format(
    option,
    table.concat(vim.tbl_map(function(o)
      return o.optionId
    end, q.params.options or {}), ', ')
  ))
end

--- The ids of the options of the question that waits.
---@return string[]
function M.options()
  local q = M.next()
  return vim.tbl_map(function(o)
    return o.optionId
  end, q and q.params.options or {})
end

--- Gives the answer that stands on a line of a question's block.
---@param block emendo.Block
---@param line integer zero-based
function M.choose_line(block, line)
  local q = block.question
  local chosen = q and q.lines[line]
  if not chosen then
    return
  end
  if q.kind == 'elicit' then
    return answer(q, { answers = { { values = { chosen } } } }, chosen)
  end
  for _, o in ipairs(q.params.options) do
    if o.optionId == chosen then
      return choose(q, o)
    end
  end
end

return M
