-- The prompt: an ordinary buffer below the panel with its own undo history.
local attachments = require('emendo.session.attachments')
local images = require('emendo.panel.images')
local layout = require('emendo.windows.layout')
local messages = require('emendo.messages')
local session = require('emendo.session')
local tasks = require('emendo.review.tasks')
local workspace = require('emendo.server.workspace')
local words = require('emendo.words')

local M = {}

local name = 'emendo://prompt'
local buf ---@type integer?
local draft ---@type string[]? what stood in a prompt that was unloaded

--- Presses a key as if it were not mapped.
local function press(lhs)
  vim.api.nvim_feedkeys(vim.keycode(lhs), 'ni', false) -- insert before pending typeahead
end

--- Shows an older prompt if the cursor is on the first line, or a newer one if it is on the
--- last. Otherwise, and in the popup menu, presses the key itself.
---@param by 1|-1
local function walk(by)
  local otherwise = by == 1 and '<Up>' or '<Down>'
  local row, last = vim.api.nvim_win_get_cursor(0)[1], vim.api.nvim_buf_line_count(0)
  if vim.fn.pumvisible() == 1 or row ~= (by == 1 and 1 or last) then
    return press(otherwise)
  end
  local text = require('emendo.panel.prompt_history').go(by, table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
  if not text then
    return press(otherwise)
  end
  local lines = vim.split(text, '\n', { plain = true })
  vim.bo.undolevels = vim.bo.undolevels
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  local to = by == 1 and 1 or #lines -- so that the same key can be repeated
  vim.api.nvim_win_set_cursor(0, { to, #lines[to] })
end

local actions ---@type table<string, emendo.Do> set below

function M.buffer()
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  buf = require('emendo.windows.scratch').new(name, draft)
  vim.bo[buf].filetype = 'emendo-prompt'
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = function(event)
      draft = vim.api.nvim_buf_get_lines(event.buf, 0, -1, false) -- so that :bdelete loses no text
    end,
  })
  require('emendo.keys').local_to(buf, 'prompt', actions)
  require('emendo.panel.completion').enable(buf)
  return buf
end

--- Shows the draft again in a prompt that :edit has emptied.
function M.reread(b)
  if b == buf and draft then
    vim.api.nvim_buf_set_lines(b, 0, -1, false, draft)
  end
end

--- Returns the prompt's buffer, or nil if it was never created.
function M.current()
  return buf
end

--- Returns the prompt's window in this tab page, or in the panel's own tab page.
function M.window()
  local pair = layout.pair() or layout.elsewhere()
  return pair and pair.prompt
end

--- Sends a text with the attached lines and images, and detaches them. Puts it back into the
--- prompt with them if it does not reach a turn and the prompt is empty.
---@param done? fun(err: emendo.Error?, result: table?)
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
function M.ask(text, done, how)
  text = vim.trim(text)
  local lines, images = attachments.linked(), attachments.images()
  if text == '' and #images == 0 then
    return messages.warn(words.prompt_empty)
  end
  workspace.add_current_project()
  local blocks = { { type = 'text', text = text } }
  if lines then
    table.insert(blocks, attachments.block_of(lines.buf, lines.first, lines.last))
  end
  for _, image in ipairs(images) do
    table.insert(blocks, image.block)
  end
  attachments.detach()
  layout.follow()
  session.prompt(blocks, function(err, result, unsent)
    if unsent and M.put(text) then
      if lines and vim.api.nvim_buf_is_loaded(lines.buf) then
        attachments.link(lines.buf, lines.first, lines.last)
      end
      attachments.attach(images)
    end
    if done then
      done(err, result)
    end
  end, how)
end

--- Sends the text of the prompt and empties it in a separate undo step, so that `u` restores
--- the text.
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
---@param other? string is sent in its place
function M.send(how, other)
  if other then
    return M.ask(other, nil, how)
  end
  local b = M.buffer()
  local text = table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\n')
  if vim.trim(text) ~= '' then
    vim.bo[b].undolevels = vim.bo[b].undolevels
    vim.api.nvim_buf_set_lines(b, 0, -1, false, {})
    require('emendo.panel.prompt_history').add(vim.trim(text))
  end
  M.ask(text, nil, how)
end

--- Puts a text into the prompt if the prompt is empty. Reports whether it did.
function M.put(text)
  local b = M.buffer()
  if vim.trim(table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false))) ~= '' then
    return false
  end
  vim.api.nvim_buf_set_lines(b, 0, -1, false, vim.split(text, '\n', { plain = true }))
  return true
end

actions = {
  send = M.send,
  send_normal = M.send,
  steer = { M.send, 'steer' },
  interrupt = { M.send, 'interrupt' },
  older = { walk, 1 },
  newer = { walk, -1 },
  paste = images.paste,
  context = function()
    require('emendo.panel.chips').select()
  end,
  cancel = tasks.cancel, -- in Insert mode its key ends Insert mode
}

return M
