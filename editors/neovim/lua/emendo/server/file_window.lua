-- The window of the file that the user works in, also while the cursor is in the panel.
local paths = require('emendo.server.paths')

local M = {}

local last ---@type integer? the last window that was found

--- Returns the window of the current or last used file, attached to the server or not. Before the first question the
--- user has not been tracked and may be in the prompt already, so the previous window is
--- tried next.
function M.current()
  local candidates = { vim.api.nvim_get_current_win(), last or 0, vim.fn.win_getid(vim.fn.winnr('#')) }
  for _, win in ipairs(vim.list_extend(candidates, vim.api.nvim_tabpage_list_wins(0))) do
    if win ~= 0 and vim.api.nvim_win_is_valid(win) and paths.of_buffer(vim.api.nvim_win_get_buf(win)) then
      last = win
      return win
    end
  end
end

--- Returns the buffer in that window.
function M.buffer()
  local win = M.current()
  return win and vim.api.nvim_win_get_buf(win)
end

return M
