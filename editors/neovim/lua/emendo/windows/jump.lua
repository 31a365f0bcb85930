-- Goes to positions in files, in a window that shows files.
local layout = require('emendo.windows.layout')

local M = {}

--- Shows a buffer or file in the current window, or in a split if the window cannot
--- abandon its buffer, such as a modified one without 'hidden'.
---@param where integer|string
function M.show(where)
  local name = type(where) == 'string' and vim.fn.fnameescape(where) or where
  local how = type(where) == 'string' and { 'edit', 'split' } or { 'buffer', 'sbuffer' }
  if not pcall(vim.cmd, ('%s %s'):format(how[1], name)) then
    vim.cmd(('%s %s'):format(how[2], name))
  end
end

--- Goes to a line of a buffer or file.
---@param where integer|string
---@param line integer one-based
function M.to(where, line)
  layout.close_float()
  vim.api.nvim_set_current_win(layout.window_for_file(type(where) == 'number' and where or nil))
  vim.cmd("normal! m'")
  if type(where) == 'number' or where ~= vim.api.nvim_buf_get_name(0) then
    M.show(where)
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), 0 })
  vim.cmd('normal! zv')
end

--- Goes to a place that the server has named.
---@param place {uri: string, newUri?: string, range?: table}
function M.place(place)
  local uri = place.newUri or place.uri
  if not vim.startswith(uri, 'file:') then
    vim.ui.open(uri)
  else
    M.to(vim.uri_to_fname(uri), place.range and place.range.start.line + 1 or 1)
  end
end

--- Handles window/showDocument, which follows a command of the user. Documents are not
--- shown in the windows of the panel.
function M.show_document(params)
  if params.external then
    vim.ui.open(params.uri)
  else
    local path = vim.uri_to_fname(params.uri)
    M.to(path, (vim.tbl_get(params, 'selection', 'start', 'line') or 0) + 1)
    if path:match('%.log$') and vim.api.nvim_buf_get_name(0) == path then
      vim.bo.modifiable, vim.bo.autoread = false, true -- the server keeps writing to it
      vim.cmd.normal({ 'G', bang = true }) -- what has just happened
    end
  end
  return { success = true }
end

return M
