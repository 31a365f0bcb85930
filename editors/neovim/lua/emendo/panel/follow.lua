-- The windows of the panel that follow the conversation: the cursor is at its end.
local M = {}

local parked = {} ---@type table<integer, integer> the line at which follow has left the cursor of a window

--- Returns the first line of the question at the end of the conversation, if the question is
--- too long for a window.
---@param row? integer where it begins
---@return integer? one-based
local function question_in(win, row)
  if row then
    local room = vim.api.nvim_win_get_height(win) - vim.fn.getwininfo(win)[1].winbar
    return vim.api.nvim_win_text_height(win, { start_row = row }).all > room and row + 1 or nil
  end
end

--- Returns the panel's windows that follow the conversation: the cursor is at the end, or
--- where follow() left it.
function M.at_end(buf)
  local last = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    local visual = win == vim.api.nvim_get_current_win() and vim.api.nvim_get_mode().mode:match('^[vV\22]')
    local line = vim.api.nvim_win_get_cursor(win)[1]
    return not visual and (line >= last or line == parked[win])
  end, vim.fn.win_findbuf(buf))
end

--- Moves the cursor to the end, or to the beginning of a question that is too long for the
--- window. If lines were removed, also brings lines above the window back into view, which
--- Neovim would leave there.
---@param question? integer the row of the question at the end
---@param always? boolean to there also if it is not too long
---@param shrunk boolean lines were removed
function M.follow(buf, wins, question, always, shrunk)
  local last = vim.api.nvim_buf_line_count(buf)
  local text = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1]
  for _, win in ipairs(wins) do
    parked[win] = always and question + 1 or question_in(win, question)
    vim.api.nvim_win_set_cursor(win, parked[win] and { parked[win], 0 } or { last, #text })
    if parked[win] then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = parked[win] })
      end)
    elseif shrunk then
      vim.fn.win_execute(win, 'normal! zb')
    end
  end
end

return M
