-- The panel's two windows in a tab page: the conversation, and the prompt below it.
-- They open and close together and keep their size and position when other windows are
-- opened or closed.
local config = require('emendo.config')
local events = require('emendo.events')
local file_window = require('emendo.server.file_window')
local messages = require('emendo.messages')
local words = require('emendo.words')

local M = {}

---@class emendo.Pair
---@field panel integer
---@field prompt integer
---@field width integer
---@field height integer of the prompt
---@field count integer windows of the tab page when the sizes were noted
---@field position 'right'|'left'|'float'|'tab'
---@field lines {panel: string, prompt: string} their status lines
local open = {} ---@type table<integer, emendo.Pair> by tab page

local fresh = {} ---@type integer[] windows that have been made since the last look
local changed = false -- windows have been opened or closed since then

--- Returns the non-floating windows of a tab page.
local function tiled(tab)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ''
  end, vim.api.nvim_tabpage_list_wins(tab))
end

local plain = {
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  foldcolumn = '0',
  list = false,
  spell = false,
  wrap = true,
  linebreak = true,
  cursorline = false,
  statuscolumn = '',
  fillchars = 'eob: ',
  winfixwidth = true,
  winfixbuf = true,
  colorcolumn = '',
  winhighlight = 'WinBar:EmendoLine,WinBarNC:EmendoLine,EndOfBuffer:Normal,NormalFloat:Normal,FloatBorder:WinSeparator',
}

--- Sets the status line of a window, unless 'laststatus' is 3: then all windows share the
--- user's.
local function set_line(win, line)
  local own = vim.o.laststatus ~= 3
  vim.wo[win][0].statusline = own and line or ''
  vim.wo[win][0].winhighlight = plain.winhighlight .. (own and ',StatusLine:EmendoLine,StatusLineNC:EmendoLine' or '')
end

local function set_options(win, options)
  for option, value in pairs(vim.tbl_extend('force', plain, options)) do
    vim.wo[win][0][option] = value
  end
end

--- Turns one of our windows back into an ordinary one.
local function reset_options(win)
  for option in pairs(vim.tbl_extend('force', plain, { breakindent = 0, breakindentopt = 0, conceallevel = 0, numberwidth = 0, concealcursor = 0, winbar = 0, winfixheight = 0 })) do
    vim.wo[win][0][option] = vim.go[option]
  end
  vim.wo[win][0].statusline = ''
end

local function width()
  local w = config.options.panel.width
  return math.max(20, math.floor(w < 1 and vim.o.columns * w or w))
end

local function shows(win, buf)
  return vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf
end

--- Reports whether a window still shows one of the two buffers.
local function ours(win)
  return vim.api.nvim_win_is_valid(win) and vim.startswith(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), 'emendo://p')
end

--- Returns the pair of the current tab page, if it is open.
function M.pair()
  local pair = open[vim.api.nvim_get_current_tabpage()]
  if pair and ours(pair.panel) and ours(pair.prompt) then
    return pair
  end
end

--- Returns the pair that is open in its own tab page, unless that is the current one.
function M.elsewhere()
  for tab, pair in pairs(open) do
    if pair.position == 'tab' and vim.api.nvim_tabpage_is_valid(tab) and ours(pair.panel) and ours(pair.prompt) then
      return tab ~= vim.api.nvim_get_current_tabpage() and pair or nil
    end
  end
end

--- Returns the configurations of the two floating windows.
local function float()
  local f, lines = config.options.panel.float, vim.o.lines - math.min(vim.o.cmdheight, 2)
  local function size(n, all)
    return math.max(10, math.min(all - 2, math.floor(n < 1 and all * n or n)))
  end
  local w, h = size(f.width, vim.o.columns), size(f.height, lines)
  local below = math.max(2, math.min(config.options.panel.prompt_height, h - 6)) -- including its winbar
  local row, col = math.max(0, math.floor((lines - h) / 2)), math.max(0, math.floor((vim.o.columns - w) / 2) - 1)
  local above = math.max(2, h - below - 4)
  local function at(r, height)
    return { relative = 'editor', row = r, col = col, width = w, height = height, border = f.border, zindex = 40 }
  end
  return at(row, above), at(row + above + 2, below)
end

--- Opens the window of the panel without entering it.
---@param panel integer
local function open_panel(panel, position)
  if position == 'float' then
    return vim.api.nvim_open_win(panel, false, (float()))
  elseif position == 'tab' then
    local from = vim.api.nvim_get_current_win()
    vim.cmd({ cmd = 'split', mods = { tab = vim.fn.tabpagenr(), noautocmd = true } })
    local win = vim.api.nvim_get_current_win()
    vim.wo[win][0].winfixbuf = false
    vim.api.nvim_win_set_buf(win, panel)
    vim.cmd({ cmd = 'call', args = { ('nvim_set_current_win(%d)'):format(from) }, mods = { noautocmd = true } })
    return win
  end
  return vim.api.nvim_open_win(panel, false, { split = position, win = -1, width = width() })
end

---@param prompt integer
---@param panel integer the window above it
local function open_prompt(prompt, panel, position)
  if position == 'float' then
    local _, at = float()
    return vim.api.nvim_open_win(prompt, false, at)
  end
  return vim.api.nvim_open_win(prompt, false, { split = 'below', win = panel, height = config.options.panel.prompt_height })
end

local job ---@type fun()?

--- Runs the function that was passed to quietly().
function M.run()
  if job then
    job()
  end
end

--- Calls a function like pcall(), but suppresses the messages that Neovim prints with its
--- errors.
---@return boolean ok
---@return integer result
local function quietly(f, ...)
  local args, ok, result = { ... }, false, 0
  job = function()
    ok, result = pcall(f, unpack(args))
  end
  vim.cmd("silent! lua require('emendo.windows.layout').run()")
  job = nil
  return ok and result ~= 0, result
end

--- Opens both windows, as floats if other windows leave no room. Returns nil if there is
--- no room for floats either.
---@param panel integer
---@param prompt integer
---@return integer? panel
---@return integer prompt
---@return string position
local function open_both(panel, prompt)
  for _, position in ipairs({ config.options.panel.position, 'float' }) do
    local ok, win = quietly(open_panel, panel, position)
    if ok then
      local done, below = quietly(open_prompt, prompt, win, position)
      if done then
        return win, below, position
      end
      vim.api.nvim_win_close(win, true)
    end
  end
  return nil, 0, ''
end

local function apply_sizes(pair)
  if pair.position == 'float' then
    local panel, prompt = float()
    vim.api.nvim_win_set_config(pair.panel, panel)
    return vim.api.nvim_win_set_config(pair.prompt, prompt)
  end
  vim.api.nvim_win_set_width(pair.panel, pair.width)
  vim.api.nvim_win_set_height(pair.prompt, pair.height)
end

---@class emendo.Look of one of the two windows
---@field options table<string, any> of the window
---@field statusline string

--- Opens both windows in the current tab page; the cursor stays where it is.
---@param panel integer the buffer of the conversation
---@param prompt integer the buffer of the prompt
---@param looks {panel: emendo.Look, prompt: emendo.Look}
---@return boolean opened they were not open before
function M.open(panel, prompt, looks)
  local pair = M.pair() or M.elsewhere()
  if pair and shows(pair.panel, panel) and shows(pair.prompt, prompt) then
    return false
  end
  M.close()
  local win, below, position = open_both(panel, prompt)
  if not win then
    messages.warn(words.no_room)
    return false
  end
  local tab = vim.api.nvim_win_get_tabpage(win)
  local lines = { panel = looks.panel.statusline, prompt = looks.prompt.statusline }
  set_options(win, looks.panel.options)
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(panel), 0 })
  set_options(below, looks.prompt.options)
  set_line(win, lines.panel)
  set_line(below, lines.prompt)
  pair = { panel = win, prompt = below, width = width(), height = config.options.panel.prompt_height, count = #tiled(tab), position = position, lines = lines }
  open[tab], fresh, changed = pair, {}, false
  apply_sizes(pair)
  return true
end

--- Moves the cursor of the conversation to its end, so that its window follows it.
function M.follow()
  local pair = M.pair()
  if pair then
    vim.api.nvim_win_set_cursor(pair.panel, { vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(pair.panel)), 0 })
  end
end

--- Closes a floating panel, which would cover the file to show.
function M.close_float()
  local pair = M.pair()
  if pair and pair.position == 'float' then
    M.close()
  end
end

local function free(win)
  return not vim.wo[win].winfixbuf
end

--- Returns the window to show a file in: the one of the current file, else any ordinary
--- window, else a new one. A window with 'winfixbuf' is used only for its own buffer.
---@param buf? integer
function M.window_for_file(buf)
  if vim.b.emendo_hunk then
    return vim.api.nvim_get_current_win() -- a preview has replaced a file
  end
  local win, pair = file_window.current(), M.pair()
  local elsewhere = pair and pair.position == 'tab' -- the current file is in another tab page
  if win and (free(win) or vim.api.nvim_win_get_buf(win) == buf) and (elsewhere or vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()) then
    return win
  end
  for _, w in ipairs(tiled(0)) do
    if vim.bo[vim.api.nvim_win_get_buf(w)].buftype == '' and free(w) then
      return w
    end
  end
  vim.cmd('topleft vnew')
  return vim.api.nvim_get_current_win()
end

--- Closes the remaining windows of the pair.
function M.close()
  local tab = vim.api.nvim_get_current_tabpage()
  local pair = open[tab]
  open[tab] = nil
  if not pair then
    return
  end
  for _, win in ipairs({ pair.panel, pair.prompt }) do
    if vim.api.nvim_win_is_valid(win) and not ours(win) then
      reset_options(win) -- the last window, whose buffer was deleted
    end
  end
  local wins = vim.tbl_filter(ours, { pair.panel, pair.prompt })
  local alone = #wins > 0 and pair.position ~= 'float' and #tiled(tab) == #wins
  if alone and pair.position == 'tab' and #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd('stopinsert')
    return vim.cmd('tabclose')
  elseif alone then
    vim.cmd('topleft vnew') -- a tab page needs a window
  end
  local current = vim.api.nvim_get_current_win()
  if vim.tbl_contains(wins, current) then
    vim.cmd('stopinsert')
    vim.api.nvim_set_current_win(M.window_for_file())
  end
  for _, win in ipairs(wins) do
    vim.api.nvim_win_close(win, true)
  end
end

--- Returns the first column of a window, and the one after its last.
local function edges(win)
  local left = vim.api.nvim_win_get_position(win)[2]
  return left, left + vim.api.nvim_win_get_width(win)
end

--- Reports whether a window is beside neither of the two, as one that was opened between them.
local function between(win, pair)
  local left, right = edges(win)
  local panel_left, panel_right = edges(pair.panel)
  local prompt_left, prompt_right = edges(pair.prompt)
  return left >= math.min(panel_left, prompt_left) and right <= math.max(panel_right, prompt_right)
end

--- Moves a window that was opened between the two next to a window for files, or the
--- quickfix list to the bottom, where Neovim 0.11 and later open it.
local function move_out(win, pair)
  local beside = vim.iter(tiled(0)):find(function(other)
    return other ~= win and other ~= pair.panel and other ~= pair.prompt
  end)
  if vim.bo[vim.api.nvim_win_get_buf(win)].buftype == 'quickfix' then
    vim.fn.win_execute(win, 'wincmd J | resize 10')
  elseif beside then
    vim.fn.win_splitmove(win, beside, { vertical = true })
  end
end

--- Restores the layout after a window was opened or closed.
local function arrange()
  local tab = vim.api.nvim_get_current_tabpage()
  local pair, new, others = open[tab], fresh, changed
  fresh, changed = {}, false
  if not pair then
    return
  elseif not M.pair() then
    return M.close() -- one of the two was closed, so close the other
  end
  local bufs = { vim.api.nvim_win_get_buf(pair.panel), vim.api.nvim_win_get_buf(pair.prompt) }
  local wins = tiled(tab)
  if others or #wins ~= pair.count then
    for _, win in ipairs(new) do
      if vim.tbl_contains(wins, win) and win ~= pair.panel and win ~= pair.prompt then
        if vim.tbl_contains(bufs, vim.api.nvim_win_get_buf(win)) then
          vim.api.nvim_win_close(win, true) -- :split in one of the two
        elseif pair.position ~= 'float' and between(win, pair) then
          move_out(win, pair)
        end
      end
    end
    pair.count = #tiled(tab)
    apply_sizes(pair)
  elseif pair.position ~= 'float' then
    pair.width, pair.height = vim.api.nvim_win_get_width(pair.panel), vim.api.nvim_win_get_height(pair.prompt)
  end
end

local soon = events.soon(function()
  if vim.fn.getcmdwintype() == '' then
    arrange()
  end
end)

events.after('WinNew', function()
  table.insert(fresh, vim.api.nvim_get_current_win())
  changed = true
  soon()
end)
events.after('WinClosed', function()
  changed = true
  soon()
end)
events.after('WinResized', soon)
events.after('OptionSet', function()
  for _, pair in pairs(open) do
    for where, line in pairs(pair.lines) do
      if ours(pair[where]) then
        set_line(pair[where], line)
      end
    end
  end
end, 'laststatus')
events.after('VimResized', function()
  for tab, pair in pairs(open) do
    pair.width, pair.count = width(), 0
    if not vim.api.nvim_tabpage_is_valid(tab) then
      open[tab] = nil
    end
  end
  soon()
end)

return M
