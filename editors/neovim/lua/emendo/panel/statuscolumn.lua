-- The left margin of the panel: a bar beside each row, whose colour shows who is
-- speaking. Unlike a sign, it is also drawn beside the rows of wrapped lines.
local view = require('emendo.panel.view')

local M = {}

local groups = {
  user = 'EmendoUserBar',
  agent = 'EmendoBar',
  question = 'EmendoAskBar',
  info = 'EmendoInfo',
  warning = 'EmendoWarning',
  error = 'EmendoError',
}

--- Returns the voice of a row, or nil if it has none.
---@param row integer zero-based
local function voice(row)
  local block, line = view.at(row)
  if not block then
    return nil
  elseif line >= 0 or line == -1 and block.heading then
    return block.voice
  end
  local before = not block.heading and view.before(block) -- the bar continues between two blocks of one answer
  return before and before.voice == 'agent' and block.voice == 'agent' and 'agent' or nil
end

--- The 'statuscolumn' of the panel.
function M.column()
  local of = vim.v.virtnum >= 0 and groups[voice(vim.v.lnum - 1)]
  return of and ('%%#%s#▎ '):format(of) or '%#Normal#  '
end

return M
