-- The prompt: an ordinary buffer below the panel with its own undo history, and the lines
-- and images to send with the next question.
local session = require('emendo.session')
local messages = require('emendo.messages')

local M = {}

local name = 'emendo://prompt'
local buf ---@type integer?
local draft ---@type string[]? what stood in a prompt that was unloaded
local ns = vim.api.nvim_create_namespace('emendo.selection')

---@class emendo.Linked lines that go with the next question; an extmark follows them
---@field buf integer
---@field mark integer
local linked ---@type emendo.Linked?

--- Presses a key as if it were not mapped.
---@param lhs string
local function press(lhs)
  vim.api.nvim_feedkeys(vim.keycode(lhs), 'ni', false) -- insert before pending typeahead
end

--- Shows an older prompt if the cursor is on the first line, or a newer one if it is on the
--- last. Otherwise, and in the popup menu, presses the key itself.
---@param by 1|-1
---@param otherwise string
local function walk(by, otherwise)
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

---@type table<string, emendo.Action>
M.actions = {
  send = {
    modes = { 'n', 'i' },
    desc = 'send',
    run = function()
      M.send()
    end,
  },
  send_normal = {
    desc = 'send',
    run = function()
      M.send()
    end,
  },
  steer = {
    modes = { 'n', 'i' },
    desc = 'send to the running turn',
    run = function()
      M.send('steer')
    end,
  },
  interrupt = {
    modes = { 'n', 'i' },
    desc = 'cancel the running turn and send',
    run = function()
      M.send('interrupt')
    end,
  },
  older = {
    modes = { 'n', 'i' },
    desc = 'show the prompt before',
    run = function()
      walk(1, '<Up>')
    end,
  },
  newer = {
    modes = { 'n', 'i' },
    desc = 'show the prompt after',
    run = function()
      walk(-1, '<Down>')
    end,
  },
  paste = {
    modes = { 'n', 'i' },
    desc = 'attach the image in the clipboard',
    run = function()
      require('emendo.panel.images').paste()
    end,
  },
  context = {
    modes = { 'n', 'i' },
    desc = 'choose what goes along',
    run = function()
      require('emendo.panel.chips').select()
    end,
  },
  cancel = { desc = 'cancel the turn', run = session.cancel }, -- in Insert mode it ends Insert mode
}

---@return integer
function M.buffer()
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  buf = require('emendo.windows.scratch').new(name, draft)
  vim.bo[buf].filetype = 'emendo-prompt'
  vim.bo[buf].omnifunc = "v:lua.require'emendo.panel.completion'.omnifunc"
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = function(event)
      draft = vim.api.nvim_buf_get_lines(event.buf, 0, -1, false) -- so that :bdelete loses no text
    end,
  })
  require('emendo.keys').local_to(buf, 'prompt', M.actions)
  require('emendo.panel.completion_sources').follow(buf)
  return buf
end

--- Shows the draft again in a prompt that :edit has emptied.
---@param b integer
function M.reread(b)
  if b == buf and draft then
    vim.api.nvim_buf_set_lines(b, 0, -1, false, draft)
  end
end

--- Returns the prompt's buffer, or nil if it was never created.
---@return integer?
function M.current()
  return buf
end

--- Returns the prompt's window in this tab page, or in the panel's own tab page.
---@return integer?
function M.window()
  local layout = require('emendo.windows.layout')
  local pair = layout.pair() or layout.elsewhere()
  return pair and pair.prompt
end

--- Returns the current range of the lines to send with the next question, one-based.
---@return {buf: integer, first: integer, last: integer}?
function M.linked()
  if not linked or not vim.api.nvim_buf_is_loaded(linked.buf) then
    linked = nil
    return nil
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(linked.buf, ns, linked.mark, { details = true })
  if #at == 0 then
    return nil
  end
  local last = math.min(at[3].end_row, vim.api.nvim_buf_line_count(linked.buf))
  return { buf = linked.buf, first = at[1] + 1, last = math.max(at[1] + 1, last) }
end

--- Detaches the lines from the next question.
function M.unlink()
  if linked and vim.api.nvim_buf_is_loaded(linked.buf) then
    vim.api.nvim_buf_clear_namespace(linked.buf, ns, 0, -1)
  end
  linked = nil
end

--- Attaches lines to the next question, in place of those attached before.
---@param b integer
---@param first integer one-based
---@param last integer one-based, included
function M.link(b, first, last)
  M.unlink()
  local count = vim.api.nvim_buf_line_count(b)
  first, last = math.max(1, math.min(first, count)), math.max(1, math.min(last, count))
  local mark = vim.api.nvim_buf_set_extmark(b, ns, first - 1, 0, {
    end_row = last,
    end_col = 0,
    strict = false,
    hl_group = 'EmendoSelection',
    hl_eol = true,
    priority = 90,
  })
  linked = { buf = b, mark = mark }
end

--- Returns the ContentBlock for lines of a buffer: a link, since the server knows the
--- buffer's text, or the text itself if the buffer is not a file.
---@param b integer
---@param first integer one-based
---@param last integer one-based, included
---@return table ContentBlock
local function block_of(b, first, last)
  local path = vim.api.nvim_buf_get_name(b)
  if not require('emendo.server.buffers').path(b) then
    local text = table.concat(vim.api.nvim_buf_get_lines(b, first - 1, last, false), '\n') .. '\n'
    local name = path ~= '' and vim.fs.basename(path) or 'Buffer-' .. b
    return { type = 'resource', resource = { uri = ('untitled:%s#L%d-%d'):format(vim.uri_encode(name), first, last), text = text } }
  end
  require('emendo.server.buffers').also(b)
  return {
    type = 'resource_link',
    uri = vim.uri_from_bufnr(b),
    name = vim.fn.fnamemodify(path, ':~:.'),
    _meta = { range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } } },
  }
end

M.block_of = block_of

---@class emendo.Image an image that goes with the next question
---@field name string
---@field block table ContentBlock

local images = {} ---@type emendo.Image[]

--- Returns the images to send with the next question.
---@return emendo.Image[]
function M.images()
  return images
end

--- Attaches an image to the next question.
---@param image emendo.Image
function M.attach(image)
  table.insert(images, image)
  vim.cmd.redrawstatus({ bang = true })
end

--- Detaches the lines and the images from the next question.
function M.detach()
  M.unlink()
  images = {}
  vim.cmd.redrawstatus({ bang = true })
end

---@class emendo.Sent what a prompt on its way took along
---@field lines {buf: integer, first: integer, last: integer}?
---@field images emendo.Image[]
---@type table<table, emendo.Sent> by its blocks
local sent = setmetatable({}, { __mode = 'k' })

--- Sends a text with the attached lines and images, and detaches them.
---@param text string
---@param done? fun(err: emendo.Error?, result: table?)
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
---@param more? table[] ContentBlocks
function M.ask(text, done, how, more)
  text = vim.trim(text)
  if text == '' and #images == 0 then
    return messages.warn('the prompt is empty')
  end
  require('emendo.server.workspace').join()
  local blocks = { { type = 'text', text = text } }
  local l = M.linked()
  if l then
    table.insert(blocks, block_of(l.buf, l.first, l.last))
  end
  for _, image in ipairs(images) do
    table.insert(blocks, image.block)
  end
  vim.list_extend(blocks, more or {})
  sent[blocks] = { lines = l, images = images }
  M.detach()
  session.prompt(blocks, done, how)
end

--- Sends the text of the prompt and empties it in a separate undo step, so that `u` restores
--- the text.
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
function M.send(how)
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
---@param text string
---@return boolean
function M.put(text)
  local b = M.buffer()
  if vim.trim(table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false))) ~= '' then
    return false
  end
  vim.api.nvim_buf_set_lines(b, 0, -1, false, vim.split(text, '\n', { plain = true }))
  return true
end

--- Puts a question that was not sent back into the prompt with its lines and images, if
--- the prompt is empty.
---@param blocks table[]
function M.give_back(blocks)
  if not M.put(blocks[1].text) then
    return
  end
  local with = sent[blocks]
  local l = with and with.lines
  if l and vim.api.nvim_buf_is_loaded(l.buf) then
    M.link(l.buf, l.first, l.last)
  end
  images = vim.list_extend(with and with.images or {}, images)
end

return M
