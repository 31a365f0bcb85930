-- The open questions of all sessions. One stays open without taking focus until it is
-- answered: by a command, <CR> on an answer in the panel, or the number of an answer while the
-- cursor is on the question. The server says when it is open no more.
local act = require('emendo.session.act')
local events = require('emendo.events')
local form = require('emendo.session.form')
local messages = require('emendo.messages')
local session = require('emendo.session')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

--- The open questions, the oldest first.
---@type table[]
M.open = {}

local answered = {} ---@type table<string, boolean> what is on its way to the server, by id
local said = {} ---@type table<string, string> the message that names a question, by its id

--- Returns the question in one line, with what it is for if that is not shown.
function M.brief(q)
  local s = q.sessionId and session.all[q.sessionId]
  local from = q.from and q.from.text or s and s ~= session.current and ('in "%s"'):format(visible.line(s.title or ''))
  return (from and from .. ': ' or '') .. q.brief.text
end

local function hint(q)
  said[q.id] = messages.hint(M.brief(q), vim.log.levels.WARN, words.permission)
end

--- Reports whether a question is in a list.
local function has(list, id)
  return vim.iter(list):any(function(q)
    return q.id == id
  end)
end

--- Takes over which questions are open.
local function update()
  local before = M.open
  M.open = vim.tbl_filter(function(q)
    return not answered[q.id]
  end, window.view.questions)
  for _, q in ipairs(M.open) do
    if not has(before, q.id) then
      hint(q)
      events.fire('Question', { session = q.sessionId, call = q.itemId, id = q.id })
    end
  end
  for _, q in ipairs(before) do
    if not has(M.open, q.id) then
      if said[q.id] then
        messages.withdraw(said[q.id])
        said[q.id] = nil
      end
      events.fire('Question', { session = q.sessionId, call = q.itemId, id = q.id, closed = true })
    end
  end
end

events.on('window', function()
  for id in pairs(answered) do
    answered[id] = has(window.view.questions, id) or nil
  end
  update()
end)

--- Gives an answer: an option, with values where it takes some.
---@param values? table<string, string[]>
---@param done? fun()
function M.answer(q, option, values, done)
  if not has(M.open, q.id) then
    return
  end
  local fields = option.fields or option == q.options[1] and q.fields or nil
  local function sent(on_its_way)
    answered[q.id] = on_its_way or nil
    update()
  end
  act.run({ view = window.view, id = q.id }, option, { fields = fields, values = values, sent = sent, done = done })
end

--- Returns the answers to a question in the order in which they are numbered: its options, or
--- the choices of its only field in place of the option that sends them.
---@return {id: string, option: table, values?: table<string, string[]>, text: string}[]
function M.answers(q)
  local list, only = {}, #(q.fields or {}) == 1 and q.fields[1]
  if only and not only.many and not (only.values or {})[1] then
    for _, choice in ipairs(only.choices or {}) do
      list[#list + 1] = { id = choice.value, option = q.options[1], values = { [only.id] = { choice.value } }, text = form.option(choice) }
    end
  end
  for i, option in ipairs(q.options) do
    if i > 1 or #list == 0 or only.other then
      list[#list + 1] = { id = option.id, option = option, text = form.option(option) }
    end
  end
  return list
end

--- Asks the user with vim.ui. The answers have the numbers that they have in the panel.
---@param done fun(option: table) after the answer
---@param own? boolean the user's own command asks: without an answer it is cancelled
function M.ask(q, done, own)
  if q.fields then
    return M.answer(q, q.options[1], nil, done)
  end
  vim.ui.select(M.answers(q), {
    prompt = 'emendo: ' .. M.brief(q),
    kind = 'emendo.permission',
    format_item = function(answer)
      return answer.text
    end,
  }, function(answer)
    if answer then
      return M.answer(q, answer.option, answer.values, function()
        done(answer.option)
      end)
    end
    for _, option in ipairs(own and q.options or {}) do
      if option.id == 'cancel' then
        M.answer(q, option, nil, done)
      end
    end
  end)
end

--- Reports whether a session has an open question.
function M.asks(id)
  return vim.iter(M.open):any(function(q)
    return q.sessionId == id
  end)
end

--- Returns the questions to show with the session that is shown: its own, and those of none.
function M.shown()
  return vim.tbl_filter(function(q)
    return not q.sessionId or session.current ~= nil and q.sessionId == session.current.id
  end, M.open)
end

--- Returns the question to answer next: the oldest of the session that is shown or of no
--- session, else the oldest of all.
function M.next()
  return M.shown()[1] or M.open[1]
end

--- Returns the ids of the answers to a question, by default the next one.
---@param q? table
function M.options(q)
  q = q or M.next()
  return vim.tbl_map(function(answer)
    return answer.id
  end, q and M.answers(q) or {})
end

-- Repeats the messages for the open questions of a session that is now shown.
events.on('Session', function(shown)
  for _, q in ipairs(M.open) do
    if q.sessionId and q.sessionId == shown.session then
      hint(q)
    end
  end
end)

return M
