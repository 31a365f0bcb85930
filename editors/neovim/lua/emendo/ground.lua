-- A background behind a whole line of the panel, over the width of the window and
-- behind each of its rows.
local M = {}

--- Sets it for a line.
---@param buf integer
---@param ns integer
---@param row integer zero-based
---@param line string
---@param group string
function M.set(buf, ns, row, line, group)
  vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { line_hl_group = group, priority = 20 })
  local indent = line:match('^%s+')
  if indent then -- which Neovim repeats before the rows of a wrapped line without the background
    vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {
      virt_text = { { (' '):rep(vim.fn.strdisplaywidth(indent)), group } },
      virt_text_win_col = 0,
      virt_text_repeat_linebreak = true,
      priority = 20,
    })
  end
end

return M
