-- Answers the next question: at once, or by a menu while the panel shows it in full.
local events = require('emendo.events')
local layout = require('emendo.windows.layout')
local messages = require('emendo.messages')
local panel = require('emendo.panel')
local questions = require('emendo.session.questions')
local session = require('emendo.session')
local words = require('emendo.words')

local M = {}

--- Shows a question in the panel and asks the user.
---@param own? boolean the user's own command asks
---@param done? fun(option?: table) after the answer; nil: the user left it open
function M.ask(q, own, done)
  local s = q.sessionId and session.all[q.sessionId]
  if s and s ~= session.current then
    return session.load(s.id, function(there)
      if there then
        M.ask(q, own, done)
      end
    end)
  end
  panel.show()
  panel.reveal(q.id)
  questions.ask(q, function(option)
    layout.follow()
    return done and done(option)
  end, own)
end

--- Answers the next open question with the answer of an id or kind, or asks the user.
---@param option? string
function M.answer(option)
  local q = questions.next()
  if not q then
    return messages.info(words.nothing_open)
  elseif not option then
    return M.ask(q)
  end
  for _, answer in ipairs(questions.answers(q)) do
    if answer.id == option or answer.option.look == option and not answer.values then
      return questions.answer(q, answer.option, answer.values)
    end
  end
  messages.warn(words.no_answer:format(option, table.concat(questions.options(), ', ')))
end

local expected ---@type string? the item or the code of the question that the user is asked at once

local answered ---@type fun(option?: table)? is told the answer

--- Has the user asked at once when the next question about an item, or with a code, comes.
---@param what? string
---@param done? fun(option?: table) after the answer; nil: the user left it open
function M.expect(what, done)
  expected, answered = what, done
end

events.on('Question', function(question)
  local q = not question.closed and expected and vim.iter(questions.open):find(function(other)
    return other.id == question.id and (other.itemId == expected or other.code == expected)
  end)
  if q then
    expected = nil
    vim.schedule(function()
      M.ask(q, true, answered)
    end)
  end
end)

return M
