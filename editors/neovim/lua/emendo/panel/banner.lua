-- A float in the corner of the screen, shown while a question is pending that the
-- panel does not show. It takes neither focus nor keys.
local config = require('emendo.config')
local events = require('emendo.events')
local layout = require('emendo.windows.layout')
local questions = require('emendo.session.questions')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

-- The maximum number of lines and columns.
local most_lines, most_columns = 3, 60

local ns = vim.api.nvim_create_namespace('emendo.banner')
local buf ---@type integer?
local win ---@type integer?

--- Returns the next question if the panel does not show it.
local function hidden_question()
  local q = config.options.notify and questions.next()
  if q and not (layout.pair() and vim.tbl_contains(questions.shown(), q)) then
    return q
  end
end

local function close()
  if win and vim.api.nvim_win_is_valid(win) then
    pcall(vim.api.nvim_win_close, win, true)
  end
  win = nil
end

--- Shows, updates or closes the float.
local function update()
  local q = hidden_question()
  if not q then
    return close()
  end
  local width = math.min(most_columns, vim.o.columns - 6)
  local brief = visible.shortened(' emendo: ' .. questions.brief(q):gsub('%s+', ' '), most_lines * (width - 10))
  local lines = { brief, words.banner }
  width = math.min(width, math.max(vim.fn.strdisplaywidth(brief), #words.banner) + 1)
  if not (buf and vim.api.nvim_buf_is_valid(buf)) then
    buf = vim.api.nvim_create_buf(false, true)
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.api.nvim_buf_set_extmark(buf, ns, 0, 0, { end_row = 1, hl_group = 'EmendoQuestion' })
  local place = {
    relative = 'editor',
    anchor = 'NE',
    row = vim.o.showtabline == 2 and 1 or 0,
    col = vim.o.columns,
    width = width,
    height = most_lines + 1,
    style = 'minimal',
    border = 'rounded',
    focusable = false,
    zindex = 60,
  }
  if win and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    vim.api.nvim_win_set_config(win, place)
  else
    close()
    place.noautocmd = true
    -- This fails in the command-line window.
    local ok, opened = pcall(vim.api.nvim_open_win, buf, false, place)
    win = ok and opened or nil
    if win then
      vim.wo[win].linebreak, vim.wo[win].breakindent = true, true
      vim.wo[win].winhighlight = 'NormalFloat:EmendoAsk,Normal:EmendoAsk,FloatBorder:EmendoAskBar'
    end
  end
  if win then
    place.height, place.noautocmd = vim.api.nvim_win_text_height(win, {}).all, nil
    vim.api.nvim_win_set_config(win, place)
  end
  vim.cmd.redraw()
end

local soon = events.soon(update)

events.on({ 'Question', 'Session' }, soon)
events.after({ 'WinNew', 'WinClosed', 'TabEnter', 'VimResized', 'CmdwinLeave' }, function()
  if win or #questions.open > 0 then
    soon()
  end
end)
