-- The harness of the random walk inside Neovim: runs one step at a time and records
-- problems.
local walk = { problems = {}, stepping = false, applying = false, given = false, async = 0 }

local function problem(text)
  table.insert(walk.problems, text)
end

-- Menus and inputs are answered automatically, with the choice of the walk.
walk.choice = 0
vim.ui.select = function(items, _, done)
  local n = walk.choice % (#items + 1)
  done(items[n], n > 0 and n or nil)
end
vim.ui.input = function(_, done)
  done(walk.choice % 2 == 1 and 'typed' or nil)
end

-- Each message must fit into one line, so that none waits for a key.
local echo = vim.api.nvim_echo
vim.api.nvim_echo = function(chunks, ...)
  local text = chunks[1] and chunks[1][1] or ''
  if vim.startswith(text, 'emendo: ') and (text:find('\n', 1, true) or vim.api.nvim_strwidth(text) > vim.o.columns - 1) then
    problem(('a message of %d columns or more than a line: %s'):format(vim.api.nvim_strwidth(text), text))
  end
  return echo(chunks, ...)
end

-- The server keeps writing to its log, so ignore conflicts with text that the walk has
-- typed there.
vim.api.nvim_create_autocmd('FileChangedShell', { pattern = '*.log', callback = function() vim.v.fcs_choice = '' end })

-- Edits that the user accepted arrive later. All other changes to the text of a file are
-- made within a step.
local editor = require('emendo.server.editor')
local apply = editor.apply
editor.apply = function(...)
  walk.applying = true
  local ok, answer = pcall(apply, ...)
  walk.applying = false
  return ok and answer or error(answer, 0)
end

local attached = {}
local function attach(buf)
  if attached[buf] or not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return
  end
  attached[buf] = vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, b, _, first, last, now)
      if not walk.stepping and not walk.applying then
        problem(('%s was changed between steps: lines %d-%d became %d'):format(vim.api.nvim_buf_get_name(b), first, last, now - first))
      end
    end,
    on_detach = function()
      attached[buf] = nil
    end,
  })
end

-- Text that was typed into the prompt stays until it is sent or changed.
local prompt = require('emendo.panel.prompt')
local put = prompt.put
prompt.put = function(...)
  local result = put(...)
  walk.given = true
  return result
end

local function draft()
  local buf = prompt.current()
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  end
end

local typed -- the text of the prompt when it was last seen
local function check_prompt(when)
  local now = draft()
  if now and typed and now ~= typed and not walk.given then
    problem(('the prompt changed %s: %q became %q'):format(when, typed, now))
  end
  typed = now or typed
  walk.given = false
end

local wrong = { 'E5108', 'E5560', 'Error executing', 'Error in ', 'stack traceback', 'HANDLER_ERROR', 'CALLBACK_ERROR', 'emendo/[%w_/]+%.lua:%d' }

local function check_messages()
  local messages = vim.fn.execute('messages')
  for _, pattern in ipairs(wrong) do
    local at = messages:find(pattern)
    if at then
      problem('messages: ' .. messages:sub(math.max(1, at - 200), at + 1500))
      break
    end
  end
  vim.cmd('messages clear')
end

--- Reports whether a command would crash Neovim 0.12.4, which now and then leaves a
--- window without a buffer when :bdelete closes windows of several tab pages.
local function crashes(command)
  if vim.fn.has('nvim-0.12') == 0 or not command:find('bdelete', 1, true) then
    return false
  end
  local tabs = {}
  for _, w in ipairs(command == 'bdelete' and vim.fn.win_findbuf(vim.api.nvim_get_current_buf()) or vim.api.nvim_list_wins()) do
    tabs[vim.api.nvim_win_get_tabpage(w)] = true
  end
  return vim.tbl_count(tabs) > 1
end

-- A step that the user asked for, such as to edit a hunk, may move the focus when it comes.
require('emendo.events').on('steps', function(steps)
  walk.async = math.max(walk.async, #steps > 0 and 1 or 0)
end)

local win -- the window that the last step left the user in

--- Reports whether Neovim is in Normal mode, where commands are typed. Leaves any other
--- mode.
function walk.ready()
  if vim.fn.mode(1) == 'n' then
    return true
  end
  vim.api.nvim_input('<C-\\><C-n>')
  return false
end

--- Runs a step.
---@param kind 'window'|'text'|'keys'|'emendo'|'late' what it may do: `late` commands move the focus when their answer is there
---@param command string
---@param choice integer what menus answer
function walk.step(kind, command, choice)
  walk.choice = choice
  command = crashes(command) and 'hide' or command
  if walk.async > 0 then
    walk.async = walk.async - 1
  elseif win and vim.api.nvim_win_is_valid(win) and vim.api.nvim_get_current_win() ~= win then
    problem(('the focus moved from window %d to %d, %s'):format(win, vim.api.nvim_get_current_win(), vim.api.nvim_buf_get_name(0)))
  end
  check_prompt('between steps')
  walk.stepping = true
  local ok, err
  if kind == 'keys' then
    vim.v.errmsg = ''
    vim.cmd('silent! normal ' .. vim.keycode(command)) -- errors of invalid keys are expected
    ok, err = vim.v.errmsg == '', vim.v.errmsg
  else
    ok, err = pcall(vim.cmd, 'silent ' .. command)
  end
  -- Run what the command has scheduled, such as closing the other window of the panel.
  vim.wait(0)
  walk.stepping = false
  if not ok then
    for _, pattern in ipairs(wrong) do
      if tostring(err):find(pattern) then
        problem('it fails: ' .. tostring(err))
        break
      end
    end
  end
  if kind == 'window' then
    check_prompt('by a window command')
  else
    typed, walk.given = draft() or typed, false
  end
  if kind == 'late' then
    walk.async = 400
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    attach(buf)
  end
  check_messages()
  win = vim.api.nvim_get_current_win()
  local problems = walk.problems
  walk.problems = {}
  return problems
end

_G.walk = walk
