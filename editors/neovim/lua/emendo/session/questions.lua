-- Questions from the server: permission for a call, questions from the model, trust in a
-- folder. A question is a block of its session's transcript and stays pending without taking
-- focus. Only these answer it: a command, <CR> on an answer in the panel, or the number of
-- an answer while the cursor is on the question.
local events = require('emendo.events')
local messages = require('emendo.messages')
local session = require('emendo.session')
local transport = require('emendo.server.transport')
local visible = require('emendo.text.visible')

local M = {}

-- The module of each kind of question: `render` returns its lines and sets its one-line
-- text, `ask` asks the user with vim.ui, and `withdrawn` is the reply when no one answers.
local kinds = {
  permission = require('emendo.session.permission'),
  elicit = require('emendo.session.elicitation'),
  message = require('emendo.session.server_message'),
}

---@class emendo.QuestionLine
---@field text string
---@field group? string how it is highlighted
---@field id? string of the answer that the line is
---@field kind? string of that answer
---@field act? fun(done: fun(reply: table, outcome: string)) gives it
---@field open? string a file that <CR> opens
---@field spans? emendo.Span[] syntax colours, from `indent` on
---@field indent? integer

---@class emendo.Question
---@field kind 'permission'|'elicit'|'message'
---@field session string?
---@field call string? the id of the call that waits
---@field request integer|string|nil the id of the server's request
---@field params table as the server sent it
---@field text string in one line
---@field block emendo.Block
---@field lines emendo.QuestionLine[] of the block
---@field thread thread waits for the answer
---@field said? string the message that names it
---@type emendo.Question[]
M.open = {}

--- Returns the question in one line, with its session's title if that session is not shown.
---@param q emendo.Question
function M.brief(q)
  local s = q.session and session.all[q.session]
  local from = s and s ~= session.current and ('in "%s": '):format(visible.line(s.title or '')) or ''
  return from .. q.text
end

local function hint(q)
  q.said = messages.hint(M.brief(q), vim.log.levels.WARN, '  :Emendo permission')
end

--- Shows a question and waits for its answer, in the coroutine of its handler.
---@param q emendo.Question
---@param quietly? boolean the user knows that it comes
---@return table reply
local function put(q, quietly)
  local s = q.session and session.all[q.session]
  q.transcript = s and s.transcript or session.transcript()
  q.thread = coroutine.running()
  q.request = transport.serving
  q.lines = kinds[q.kind].render(q)
  table.insert(q.lines, { text = '  (a number or <CR> here; :Emendo permission)', group = 'EmendoHunk' })
  local head, marks, answers = {}, {}, 0
  for i, line in ipairs(q.lines) do
    if line.act then
      answers = answers + 1
      line.text = line.text:gsub('^  ▸ ', ('  %d. '):format(answers))
    end
    head[i] = line.text
    local group = line.group or line.act and 'EmendoOption' or i == 1 and 'EmendoQuestion'
    if group then
      table.insert(marks, { line = i - 1, from = 0, to = -1, group = group })
    end
    if line.act then
      table.insert(marks, { line = i - 1, from = 2, to = 3 + #tostring(answers), group = 'EmendoKey' })
    end
    for _, span in ipairs(line.spans or {}) do
      table.insert(marks, { line = i - 1, from = span.from + line.indent, to = span.to + line.indent, group = span.group })
    end
  end
  q.block = q.transcript:add({ kind = 'question', head = head, marks = marks, question = q, tight = true })
  table.insert(M.open, q)
  if not quietly then
    hint(q)
  end
  events.fire('Question', { session = q.session, call = q.call, kind = q.kind })
  return coroutine.yield()
end

--- Removes a question from the list. Its outcome stays in the panel.
---@param q emendo.Question
---@param outcome string
local function close(q, outcome)
  M.open = vim.tbl_filter(function(o)
    return o ~= q
  end, M.open)
  q.block.question, q.block.voice = nil, 'agent'
  local line = (q.kind == 'permission' and '→ ' or '? ' .. q.text .. ' → ') .. outcome
  q.block.head = { line }
  q.block.marks = { { line = 0, from = 0, to = -1, group = 'EmendoToolDetail' } }
  q.transcript:change(q.block, 'all')
  if q.said then
    messages.withdraw(q.said)
  end
  events.fire('Question', { session = q.session, call = q.call, kind = q.kind, outcome = outcome })
end

--- Returns a function that answers a question: it closes the question and sends the reply to
--- the server. It does nothing if the question is no longer open.
---@param q emendo.Question
---@return fun(reply: table, outcome: string)
function M.replier(q)
  return function(reply, outcome)
    if vim.tbl_contains(M.open, q) then
      close(q, outcome)
      coroutine.resume(q.thread, reply)
    end
  end
end

--- Asks the user with vim.ui.
---@param q emendo.Question
---@param done fun() after the answer
function M.ask(q, done)
  local reply = M.replier(q)
  kinds[q.kind].ask(q, function(...)
    reply(...)
    done()
  end)
end

--- Handles emendo/session/requestPermission.
function M.on_permission(params)
  local call = params.toolCall or {}
  local plan = kinds.permission.plan(params)
  local s = session.all[params.sessionId]
  if plan and s then
    s.transcript:add({ kind = 'text', head = plan, added = {} })
  end
  return put({ kind = 'permission', session = params.sessionId, call = call.toolCallId, params = params })
end

--- Handles emendo/session/elicit.
function M.on_elicit(params)
  return put({ kind = 'elicit', session = params.sessionId, call = params.toolCallId, params = params })
end

--- Adds a message of the server with buttons, and waits for its answer.
---@param params table
---@param ask? fun(q: emendo.Question) asks the user at once
---@return table reply
function M.on_message(params, ask)
  local q = { kind = 'message', params = params }
  if ask then
    vim.schedule(function()
      ask(q)
    end)
  end
  return put(q, ask ~= nil)
end

--- Handles $/cancelRequest: the server no longer expects an answer, because another client
--- gave it or the turn was cancelled. Nothing else withdraws a question.
function M.on_cancel(params)
  for _, q in ipairs(M.open) do
    if q.request == params.id then
      return M.replier(q)(kinds[q.kind].withdrawn, 'answered elsewhere, or cancelled')
    end
  end
end

--- Removes every question from the list, after the server has ended.
function M.clear()
  for _, q in ipairs(vim.list_extend({}, M.open)) do
    close(q, 'the server ended')
  end
end

--- Reports whether a session has an open question.
---@param id string
---@return boolean
function M.asks(id)
  return vim.iter(M.open):any(function(q)
    return q.session == id
  end)
end

--- Returns the question to answer next: the oldest of the session that is shown or of no
--- session, else the oldest of all.
---@return emendo.Question?
function M.next()
  local current = session.current
  for _, q in ipairs(M.open) do
    if not q.session or current and q.session == current.id then
      return q
    end
  end
  return M.open[1]
end

--- Returns the ids of the answers to a question, by default the next one.
---@param q? emendo.Question
---@return string[]
function M.options(q)
  q = q or M.next()
  local ids = {}
  for _, line in ipairs(q and q.lines or {}) do
    ids[#ids + 1] = line.id
  end
  return ids
end

-- Repeats the messages for the open questions of a session that is now shown.
events.on('Session', function(shown)
  for _, q in ipairs(M.open) do
    if q.session and q.session == shown.session then
      hint(q)
    end
  end
end)

return M
