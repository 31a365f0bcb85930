-- Answers the next question: at once, or by a menu while the panel shows it in full.
local layout = require('emendo.windows.layout')
local messages = require('emendo.messages')
local panel = require('emendo.panel')
local questions = require('emendo.session.questions')
local session = require('emendo.session')

local M = {}

--- True while a command of the user expects a message. The user is then asked at once.
M.expects_message = false

--- Shows a question in the panel and asks the user.
---@param q emendo.Question
function M.ask(q)
  local s = q.session and session.all[q.session]
  if s and s ~= session.current then
    session.show(s)
  end
  panel.show()
  q.transcript:restore(q.block)
  panel.reveal(q.block)
  questions.ask(q, layout.follow)
end

--- Answers the next open question with the answer of an id or kind, or asks the user.
---@param option? string
function M.answer(option)
  local q = questions.next()
  if not q then
    return messages.info('no question is open')
  elseif not option then
    return M.ask(q)
  end
  for _, line in ipairs(q.lines) do
    if line.act and (line.id == option or line.kind == option) then
      return line.act(questions.replier(q))
    end
  end
  messages.warn(('there is no answer %q; there are: %s'):format(option, table.concat(questions.options(), ', ')))
end

--- Handles window/showMessageRequest.
function M.on_message(params)
  return questions.on_message(params, M.expects_message and M.ask or nil)
end

return M
