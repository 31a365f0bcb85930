-- The panel: an ordinary window beside the files that shows the conversation, with the
-- prompt below it. The cursor moves there only by the user's own command.
local act = require('emendo.panel.act')
local background = require('emendo.panel.background')
local events = require('emendo.events')
local layout = require('emendo.windows.layout')
local markdown = require('emendo.panel.markdown')
local navigation = require('emendo.panel.navigation')
local prompt = require('emendo.panel.prompt')
local questions = require('emendo.session.questions')
local scratch = require('emendo.windows.scratch')
local session = require('emendo.session')
local tasks = require('emendo.review.tasks')
local view = require('emendo.panel.view')
local window = require('emendo.session.window')

local M = {}

local name = 'emendo://panel'
local buf ---@type integer?

local actions ---@type table<string, emendo.Do> set below

--- Returns the panel's buffer. Creates it if necessary.
function M.buffer()
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  require('emendo.highlights')
  buf = scratch.new(name)
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'emendo'
  if not markdown.available() then
    vim.bo[buf].syntax = 'markdown'
  end
  require('emendo.keys').local_to(buf, 'panel', vim.tbl_extend('error', actions, navigation.actions))
  act.map(buf)
  return buf
end

--- Returns the panel's window in this tab page.
function M.window()
  local pair = layout.pair()
  return pair and pair.panel
end

--- Returns what the two windows look like. The lines around them are drawn by their modules.
---@return {panel: emendo.Look, prompt: emendo.Look}
local function looks()
  return {
    panel = {
      options = {
        breakindent = true,
        breakindentopt = background.indentation,
        conceallevel = markdown.available() and 2 or 0, -- the regex syntax also conceals parts of commands
        concealcursor = 'nc',
        number = true, -- so that Neovim accounts for the margin before drawing it
        numberwidth = 2,
        statuscolumn = "%{%v:lua.require'emendo.panel.statuscolumn'.column()%}",
        winbar = "%{%v:lua.require'emendo.panel.winbar'.winbar()%}",
      },
      statusline = "%{%v:lua.require'emendo.panel.winbar'.statusline()%}",
    },
    prompt = {
      options = { winfixheight = true, winbar = "%{%v:lua.require'emendo.panel.chips'.winbar()%}" },
      statusline = '%#EmendoLine#',
    },
  }
end

--- Opens the panel if it is not open, without moving the cursor.
function M.show()
  local opened = layout.open(M.buffer(), prompt.buffer(), looks())
  M.refresh()
  if opened then
    view.fit()
    require('emendo.panel.winbar').update()
  end
end

--- Replaces windows that a session file restored without their content.
function M.restore()
  local left = scratch.wipe(name, buf)
  left = scratch.wipe('emendo://prompt', prompt.current()) or left
  if left then
    M.show()
  end
end

--- Restores the text of one of our buffers after :edit has emptied it.
function M.reread(b)
  if b == buf then
    view.show(b, nil)
    view.show(b, session.view())
  else
    prompt.reread(b)
  end
end

local welcome ---@type emendo.Item? as the window's view has it, with what stands in the way

--- Shows the current session, and the questions that go with it; in a new one the welcome.
function M.refresh()
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    view.show(buf, session.view())
    local open = questions.shown()
    view.ask(#open == 0 and session.view():is_new() and { welcome } or open)
  end
end

--- Scrolls the panel to the end of an item or a question in it, or to its beginning if it is
--- too long for the window.
function M.reveal(id)
  view.draw()
  local block = view.block(id)
  local win, row = M.window(), view.row(block)
  if win and row then
    local last = row + #block.head + (block.open and #(block.body or {}) or 0)
    local fits = vim.api.nvim_win_text_height(win, { start_row = row, end_row = last - 1 }).all < vim.api.nvim_win_get_height(win)
    vim.api.nvim_win_set_cursor(win, { fits and last or row + 1, 0 })
    if not fits then
      vim.fn.win_execute(win, 'normal! zt')
    end
  end
  vim.cmd.redraw()
end

--- Goes to the prompt, ready to type.
function M.focus_prompt()
  M.show()
  local win = prompt.window()
  if win then
    vim.api.nvim_set_current_win(win)
    vim.cmd('startinsert!')
  end
end

--- Closes the panel and the prompt; the session continues.
M.close = layout.close

--- Returns the block at the cursor.
local function here()
  return view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
end

--- Folds or unfolds the block at the cursor.
---@param open? boolean by default the other of what it is
local function fold(open)
  local block = here()
  if block and block.body then
    if open == nil then
      open = not block.open
    end
    view.set_open(block, open)
    view.draw()
    vim.api.nvim_win_set_cursor(0, { view.row(block) + 1, 0 })
  end
end

---@param open boolean
local function fold_all(open)
  for _, block in ipairs(view.all()) do
    view.set_open(block, open)
  end
end

--- Acts on the line at the cursor: answers a question, does an action, goes to the file,
--- lines or hunk that it names, or folds or unfolds the block.
local function enter()
  local block, line = here()
  if not block then
    return
  end
  local target = block.targets[line]
  if target then
    act.target(block, target)
  elseif block.item and block.item.kind == 'call' and line == 0 then
    if not act.go(block.item) then
      fold()
    end
  else
    navigation.open(true, function()
      fold()
    end)
  end
end

actions = {
  actions = { events.emit, 'menu' },
  enter = enter,
  fold = fold,
  fold_open = { fold, true },
  fold_close = { fold, false },
  fold_open_all = { fold_all, true },
  fold_close_all = { fold_all, false },
  prompt = M.focus_prompt,
  cancel = tasks.cancel,
}

events.on({ 'Session', 'Question' }, M.refresh)
events.on('window', function()
  local item, notices = window.view.items.welcome, {}
  for _, notice in ipairs(window.view:of('notice')) do
    if vim.startswith(notice.id, 'obstacle/') then
      notices[#notices + 1] = vim.tbl_extend('force', notice, { actions = window.view:actions(notice) })
    end
  end
  welcome = item and vim.tbl_extend('force', item, { notices = notices })
  M.refresh()
end)

return M
