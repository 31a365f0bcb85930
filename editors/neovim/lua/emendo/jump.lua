-- Goes to places in files, in a window that shows files.
local context = require('emendo.context')

local M = {}

--- The window to show a file in: the one in front, else any ordinary one, else
--- a new one.
---@return integer
function M.window()
  if vim.b.emendo_hunk then
    return vim.api.nvim_get_current_win() -- a preview stands where a file was
  end
  local win = context.window()
  if win and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    return win
  end
  for _, w in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local b = vim.api.nvim_win_get_buf(w)
    if vim.api.nvim_win_get_config(w).relative == '' and vim.bo[b].buftype == '' and not vim.wo[w].winfixbuf then
      return w
    end
  end
  vim.cmd('topleft vnew')
  return vim.api.nvim_get_current_win()
end

--- Shows a buffer, or a file, at a line, and goes there.
---@param where integer|string
---@param line integer one-based
function M.to(where, line)
  vim.api.nvim_set_current_win(M.window())
  vim.cmd("normal! m'")
  if type(where) == 'number' then
    vim.api.nvim_set_current_buf(where)
  elseif where ~= vim.api.nvim_buf_get_name(0) then
    vim.cmd.edit(vim.fn.fnameescape(where))
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), 0 })
  vim.cmd('normal! zv')
end

--- Follows a line of the panel such as "→ main.go:3-7".
---@param line string
function M.link(line)
  local file, first = line:match('^→ (.-):(%d+)%-%d+$')
  if file then
    M.to(vim.fn.fnamemodify(file, ':p'), tonumber(first))
  end
end

return M
