-- Draws a background behind a whole line of the panel: over the width of the window and
-- behind all rows of a wrapped line.
local M = {}

-- Neovim indents the rows of a wrapped line like the first one, as long as at least this
-- many columns are left for their text.
local least = 10
-- The background covers at most this many columns of that indentation, which the
-- narrowest panel leaves. More would cover text there; in an even narrower window, any
-- column would.
local most = 8

local covered = most

--- The 'breakindentopt' of the panel.
M.indentation = 'min:' .. least

--- Adapts to the width of the panel's text.
---@return boolean changed what was drawn does not fit any more
function M.fit(columns)
  local before = covered
  covered = columns < least + most and 0 or most
  return covered ~= before
end

--- Sets the background of a line.
---@param row integer zero-based
function M.set(buf, ns, row, line, group)
  vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { line_hl_group = group, priority = 20 })
  local indent = math.min(covered, vim.fn.strdisplaywidth(line:match('^%s*')))
  if indent > 0 then -- Neovim repeats it in a wrapped line's rows without the background
    vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {
      virt_text = { { (' '):rep(indent), group } },
      virt_text_win_col = 0,
      virt_text_repeat_linebreak = true,
      priority = 20,
    })
  end
end

return M
