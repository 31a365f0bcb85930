-- The panel: an ordinary window beside the files with the transcript, and below
-- it the prompt. Only the user's own command moves the cursor there.
local config = require('emendo.config')
local session = require('emendo.session')
local view = require('emendo.view')

local M = {}

local name = 'emendo://panel'
local buf ---@type integer?

local function map(b)
  local function key(lhs, action, desc)
    vim.keymap.set('n', lhs, action, { buffer = b, nowait = true, desc = 'emendo: ' .. desc })
  end
  key('<CR>', M.enter, 'choose the answer, open the place, or unfold')
  for _, lhs in ipairs({ 'za', '<Tab>' }) do
    key(lhs, function()
      M.fold()
    end, 'fold or unfold')
  end
  key('zo', function()
    M.fold(true)
  end, 'unfold')
  key('zc', function()
    M.fold(false)
  end, 'fold')
  key('zR', function()
    M.fold_all(true)
  end, 'unfold everything')
  key('zM', function()
    M.fold_all(false)
  end, 'fold everything')
  key('<C-c>', session.cancel, 'cancel the turn')
  key('i', M.focus_prompt, 'go to the prompt')
  key('a', M.focus_prompt, 'go to the prompt')
end

--- The panel's buffer; made when there is none.
---@return integer
function M.buffer()
  if buf and vim.api.nvim_buf_is_valid(buf) then
    return buf
  end
  require('emendo.highlights')
  buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'emendo'
  if not require('emendo.markdown').available() then
    vim.bo[buf].syntax = 'markdown'
  end
  map(buf)
  return buf
end

--- The panel's window in this tab page.
---@return integer?
function M.window()
  for _, win in ipairs(buf and vim.fn.win_findbuf(buf) or {}) do
    if vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
      return win
    end
  end
end

local function dress(win, options)
  for option, value in pairs(options) do
    vim.wo[win][0][option] = value
  end
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
  statuscolumn = '',
  fillchars = 'eob: ',
  winhighlight = 'WinBar:Normal,WinBarNC:Normal', -- what a winbar says has colours of its own
}

local function width()
  local w = config.options.panel.width
  return math.max(20, math.floor(w < 1 and vim.o.columns * w or w))
end

--- Opens the panel where it is not open, and leaves the cursor where it is.
function M.show()
  local b = M.buffer()
  local win = M.window()
  if not win then
    win = vim.api.nvim_open_win(b, false, { split = config.options.panel.position, win = -1, width = width() })
    dress(win, plain)
    dress(win, {
      breakindent = true,
      conceallevel = require('emendo.markdown').available() and 2 or 0, -- the older syntax hides parts of commands too
      concealcursor = 'nc',
      winfixwidth = true,
      cursorline = false,
      winbar = "%{%v:lua.require'emendo.status'.winbar()%}",
    })
    vim.api.nvim_win_set_width(win, width())
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(b), 0 })
  end
  local prompt = require('emendo.prompt')
  if not prompt.window() then
    local p = vim.api.nvim_open_win(prompt.buffer(), false, { split = 'below', win = win, height = config.options.panel.prompt_height })
    dress(p, plain)
    dress(p, { winfixheight = true, winfixwidth = true, winbar = "%{%v:lua.require'emendo.prompt'.winbar()%}" })
    vim.api.nvim_win_set_height(p, config.options.panel.prompt_height)
  end
  M.refresh()
end

--- Shows the transcript of the current session.
function M.refresh()
  if buf and vim.api.nvim_buf_is_valid(buf) then
    view.show(buf, session.transcript())
  end
end

--- Has the panel show a block, which it holds, to its end.
---@param block emendo.Block
function M.reveal(block)
  view.draw()
  local win, row = M.window(), view.row(block)
  if win and row then
    vim.api.nvim_win_set_cursor(win, { row + #block.head, 0 })
  end
  vim.cmd.redraw()
end

--- Goes to the prompt, ready to type.
function M.focus_prompt()
  M.show()
  vim.api.nvim_set_current_win(require('emendo.prompt').window())
  vim.cmd('startinsert!')
end

--- Closes the panel and the prompt; the session goes on.
function M.close()
  local prompt = require('emendo.prompt').window()
  local wins = vim.tbl_filter(function(w)
    return w ~= nil
  end, { M.window() or prompt, M.window() and prompt })
  local others = #vim.tbl_filter(function(w)
    return vim.api.nvim_win_get_config(w).relative == '' and not vim.tbl_contains(wins, w)
  end, vim.api.nvim_tabpage_list_wins(0))
  if #wins > 0 and others == 0 then
    vim.cmd('topleft vnew') -- a tab page needs a window
  end
  if prompt and vim.api.nvim_get_current_win() == prompt then
    vim.cmd('stopinsert')
  end
  local file = require('emendo.context').window()
  if file and vim.tbl_contains(wins, vim.api.nvim_get_current_win()) then
    vim.api.nvim_set_current_win(file)
  end
  for _, win in ipairs(wins) do
    vim.api.nvim_win_close(win, true)
  end
end

--- The block at the panel's cursor.
local function here()
  return view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
end

--- Folds or unfolds the block at the cursor.
---@param open? boolean by default the other of what it is
function M.fold(open)
  local block = here()
  if block and block.body then
    if open == nil then
      open = not block.open
    end
    session.transcript():set_open(block, open)
    view.draw()
    vim.api.nvim_win_set_cursor(0, { view.row(block) + 1, 0 })
  end
end

---@param open boolean
function M.fold_all(open)
  local t = session.transcript()
  for _, block in ipairs(t.blocks) do
    t:set_open(block, open)
  end
end

--- Does what the line at the cursor is for: answers a question, goes to the
--- lines that were asked about, unfolds.
function M.enter()
  local block, line = here()
  if not block then
    return
  end
  if block.question then
    require('emendo.questions').choose_line(block, line)
  elseif block.kind == 'user' then
    require('emendo.jump').link(block.head[line + 1] or '')
  else
    M.fold()
  end
end

return M
