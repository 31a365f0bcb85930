-- The left margin of the panel: a bar beside each row, whose colour shows who
-- speaks. It is beside the rows of wrapped lines too, which signs are not.
local view = require('emendo.view')

local M = {}

local groups = {
  user = 'EmendoUserBar',
  agent = 'EmendoBar',
  question = 'EmendoAskBar',
  info = 'EmendoInfo',
  warning = 'EmendoWarning',
  error = 'EmendoError',
}

--- The voice of a row, or nil when nobody speaks there.
---@param row integer zero-based
---@return string?
local function voice(row)
  local block, line = view.at(row)
  if not block then
    return nil
  end
  local own = block.question and 'question' or block.voice
  if line >= 0 then
    return own
  end
  local before = view.before(block) -- between two blocks of one answer the bar goes on
  return before and before.voice == 'agent' and own == 'agent' and block.kind ~= 'rule' and own or nil
end

--- The 'statuscolumn' of the panel.
---@return string
function M.column()
  local of = vim.v.virtnum >= 0 and groups[voice(vim.v.lnum - 1)]
  return of and ('%%#%s#▎ '):format(of) or '%#Normal#  '
end

return M
