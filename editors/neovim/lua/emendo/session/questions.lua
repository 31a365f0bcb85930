-- Questions from the server: permission for a call, questions from the model, trust in a
-- folder. A question is shown as a block in the panel and stays pending without taking
-- focus. Only these answer it: a command, <CR> on an answer in the panel, or the number of
-- an answer while the cursor is on the question.
local events = require('emendo.events')
local messages = require('emendo.messages')

local M = {}

-- The module of each kind of question: `render` returns its lines and sets its one-line
-- text, `ask` asks the user with vim.ui, and `withdrawn` is the reply when no one answers.
local kinds = {
  permission = 'emendo.session.permission',
  elicit = 'emendo.session.elicitation',
  message = 'emendo.session.server_message',
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

local function of(q)
  return require(kinds[q.kind])
end

--- Returns the question in one line, with its session's title if that session is not shown.
---@param q emendo.Question
function M.brief(q)
  local session = require('emendo.session')
  local s = q.session and session.all[q.session]
  local from = s and s ~= session.current and ('in "%s": '):format(require('emendo.text.visible').line(s.title or '')) or ''
  return from .. q.text
end

local function hint(q)
  q.said = messages.hint(M.brief(q), vim.log.levels.WARN, '  :Emendo permission')
end

--- Shows a question and waits for its answer, in the coroutine of its handler.
---@param q emendo.Question
---@param quietly? boolean the user knows that it comes
local function put(q, quietly)
  local session = require('emendo.session')
  local s = q.session and session.all[q.session]
  q.transcript = s and s.transcript or session.transcript()
  require('emendo.panel.banner') -- it follows the Question event
  q.thread = coroutine.running()
  q.request = require('emendo.server.transport').serving
  q.lines = of(q).render(q)
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
local function answer(q)
  return function(reply, outcome)
    if vim.tbl_contains(M.open, q) then
      close(q, outcome)
      coroutine.resume(q.thread, reply)
    end
  end
end

--- Asks the user with vim.ui, while the panel shows the question in full.
---@param q emendo.Question
local function ask(q)
  local session, panel = require('emendo.session'), require('emendo.panel')
  local s = q.session and session.all[q.session]
  if s and s ~= session.current then
    session.show(s)
  end
  panel.show()
  q.transcript:hold(q.block)
  panel.reveal(q.block)
  local take = answer(q)
  of(q).ask(q, function(...)
    take(...)
    panel.follow()
  end)
end

--- Handles emendo/session/requestPermission.
function M.on_permission(params)
  local call = params.toolCall or {}
  local plan = require('emendo.session.permission').plan(params)
  local s = require('emendo.session').all[params.sessionId]
  if plan and s then
    s.transcript:add({ kind = 'text', head = plan, added = {} })
  end
  return put({ kind = 'permission', session = params.sessionId, call = call.toolCallId, params = params })
end

--- Handles emendo/session/elicit.
function M.on_elicit(params)
  return put({ kind = 'elicit', session = params.sessionId, call = params.toolCallId, params = params })
end

--- True while a command of the user expects a message. The user is then asked at once.
M.wanted = false

--- Handles window/showMessageRequest.
function M.on_message(params)
  local q = { kind = 'message', params = params }
  if M.wanted then
    vim.schedule(function()
      ask(q)
    end)
  end
  return put(q, M.wanted)
end

--- Handles $/cancelRequest: the server no longer expects an answer, because another client
--- gave it or the turn was cancelled. Nothing else withdraws a question.
function M.on_cancel(params)
  for _, q in ipairs(M.open) do
    if q.request == params.id then
      return answer(q)(of(q).withdrawn, 'answered elsewhere, or cancelled')
    end
  end
end

--- Removes every question from the list, after the server has ended.
function M.clear()
  for _, q in ipairs(vim.list_extend({}, M.open)) do
    close(q, 'the server ended')
  end
end

--- Repeats the messages for the open questions of a session that is now shown.
---@param s emendo.Session?
function M.show(s)
  for _, q in ipairs(M.open) do
    if s and q.session == s.id then
      hint(q)
    end
  end
end

--- Returns the question to answer next: the oldest of the session that is shown or of no
--- session, else the oldest of all.
---@return emendo.Question?
function M.next()
  local current = require('emendo.session').current
  for _, q in ipairs(M.open) do
    if not q.session or current and q.session == current.id then
      return q
    end
  end
  return M.open[1]
end

--- Answers the next open question with the answer of an id or kind, or asks the user with
--- vim.ui.
---@param option? string
function M.answer(option)
  local q = M.next()
  if not q then
    return messages.info('no question is open')
  end
  if not option then
    return ask(q)
  end
  for _, line in ipairs(q.lines) do
    if line.act and (line.id == option or line.kind == option) then
      return line.act(answer(q))
    end
  end
  messages.warn(('there is no answer %q; there are: %s'):format(option, table.concat(M.options(), ', ')))
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

--- Gives the answer, or opens the file, on a line of a question's block.
---@param block emendo.Block
---@param line integer zero-based
function M.choose_line(block, line)
  local q = block.question
  local chosen = q and q.lines[line + 1]
  if chosen and chosen.act then
    chosen.act(answer(q))
  elseif chosen and chosen.open then
    require('emendo.windows.jump').to(chosen.open, 1)
  end
end

--- Answers a question with the answer that has a number.
---@param q emendo.Question
---@param number integer
local function choose_number(q, number)
  local at = 0
  for i, line in ipairs(q.lines) do
    at = at + (line.act and 1 or 0)
    if line.act and at == number then
      return M.choose_line(q.block, i - 1)
    end
  end
end

--- Maps the keys 1 to 9 to the answers of the question at the cursor. Elsewhere, and after a
--- count, they are counts as usual.
---@param buf integer
function M.map(buf)
  for number = 1, 9 do
    vim.keymap.set('n', tostring(number), function()
      local block = require('emendo.panel.view').at(vim.api.nvim_win_get_cursor(0)[1] - 1)
      local q = block and block.question
      if not q or vim.v.count > 0 then
        return tostring(number)
      end
      vim.schedule(function()
        if vim.tbl_contains(M.open, q) then
          choose_number(q, number)
        end
      end)
      return ''
    end, { buffer = buf, expr = true, nowait = true, desc = 'emendo: give the answer of this number' })
  end
end

return M
