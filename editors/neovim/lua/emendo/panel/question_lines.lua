-- The lines of a question in the panel: <CR> on an answer, or its number, gives it.
local jump = require('emendo.windows.jump')
local questions = require('emendo.session.questions')
local view = require('emendo.panel.view')

local M = {}

--- Gives the answer, or opens the file, on a line of a question.
---@param q emendo.Question
---@param line integer of its block, zero-based
function M.choose(q, line)
  local chosen = q.lines[line + 1]
  if chosen and chosen.act then
    chosen.act(questions.replier(q))
  elseif chosen and chosen.open then
    jump.to(chosen.open, 1)
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
      return M.choose(q, i - 1)
    end
  end
end

--- Maps the keys 1 to 9 to the answers of the question at the cursor. Elsewhere, and after a
--- count, they are counts as usual.
---@param buf integer
function M.map(buf)
  for number = 1, 9 do
    vim.keymap.set('n', tostring(number), function()
      local block = view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
      local q = block and block.question
      if not q or vim.v.count > 0 then
        return tostring(number)
      end
      vim.schedule(function()
        if vim.tbl_contains(questions.open, q) then
          choose_number(q, number)
        end
      end)
      return ''
    end, { buffer = buf, expr = true, nowait = true, desc = 'emendo: give the answer of this number' })
  end
end

return M
