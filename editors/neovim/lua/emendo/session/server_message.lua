-- A message from the server with buttons, window/showMessageRequest: lists what a
-- folder would start, before the user trusts it.
local visible = require('emendo.text.visible')

local M = {}

--- The reply to the server when a question is withdrawn or dismissed.
M.withdrawn = vim.NIL

---@param q emendo.Question
---@return emendo.QuestionLine[]
function M.render(q)
  local lines = {}
  for i, line in ipairs(visible.lines(q.params.message)) do
    lines[i] = { text = (i == 1 and '? emendo asks: ' or '  ') .. line }
  end
  q.text = lines[1].text:gsub('^%? emendo asks: ', '')
  for _, action in ipairs(q.params.actions or {}) do
    local title = visible.line(action.title)
    lines[#lines + 1] = {
      text = '  ▸ ' .. title,
      id = action.title,
      act = function(done)
        done(action, title)
      end,
    }
  end
  return lines
end

--- Asks the user with vim.ui.select. Dismissing it also answers, with `withdrawn`.
---@param q emendo.Question
---@param done fun(reply: table, outcome: string)
function M.ask(q, done)
  vim.ui.select(q.params.actions or {}, {
    prompt = 'emendo: ' .. q.text,
    kind = 'emendo.message',
    format_item = function(action)
      return visible.line(action.title)
    end,
  }, function(action)
    if action then
      return done(action, visible.line(action.title))
    end
    done(M.withdrawn, 'no answer')
  end)
end

return M
