-- The prompt: an ordinary buffer below the panel, with its own undo, and the
-- lines that go with the next question.
local session = require('emendo.session')
local tell = require('emendo.tell')

local M = {}

local name = 'emendo://prompt'
local buf ---@type integer?
local draft ---@type string[]? what stood in a prompt that was unloaded
local ns = vim.api.nvim_create_namespace('emendo.selection')

---@class emendo.Linked lines that go with the next question; an extmark follows them
---@field buf integer
---@field mark integer
local linked ---@type emendo.Linked?

---@return integer
function M.buffer()
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  buf = require('emendo.scratch').new(name, draft)
  vim.bo[buf].filetype = 'emendo-prompt'
  vim.bo[buf].omnifunc = "v:lua.require'emendo.complete'.omnifunc"
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = function(event)
      draft = vim.api.nvim_buf_get_lines(event.buf, 0, -1, false) -- :bdelete does not lose what was typed
    end,
  })
  local function key(modes, lhs, action, desc)
    vim.keymap.set(modes, lhs, action, { buffer = buf, desc = 'emendo: ' .. desc })
  end
  local function send()
    M.send()
  end
  key('n', '<CR>', send, 'send')
  key({ 'n', 'i' }, '<C-s>', send, 'send')
  key({ 'n', 'i' }, '<M-s>', M.steer, 'send to the running turn')
  key('n', '<C-c>', session.cancel, 'cancel the turn') -- in Insert mode it ends that, as ever
  return buf
end

--- The prompt's buffer as far as it was made.
---@return integer?
function M.current()
  return buf
end

--- The prompt's window in this tab page.
---@return integer?
function M.window()
  local pair = require('emendo.layout').pair()
  return pair and pair.prompt
end

--- The lines that go with the next question, one-based, as they stand now.
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

--- Lets go of the lines.
function M.unlink()
  if linked and vim.api.nvim_buf_is_loaded(linked.buf) then
    vim.api.nvim_buf_clear_namespace(linked.buf, ns, 0, -1)
  end
  linked = nil
end

--- Has lines go with the next question.
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

--- Lines of a buffer, as a prompt carries them: a link, since the server knows
--- the buffer's text, or the text of a buffer that has no name.
---@param b integer
---@param first integer one-based
---@param last integer one-based, included
---@return table ContentBlock
local function block_of(b, first, last)
  local path = vim.api.nvim_buf_get_name(b)
  if not require('emendo.attach').path(b) then
    local text = table.concat(vim.api.nvim_buf_get_lines(b, first - 1, last, false), '\n') .. '\n'
    local name = path ~= '' and vim.fs.basename(path) or 'Buffer-' .. b
    return { type = 'resource', resource = { uri = ('untitled:%s#L%d-%d'):format(vim.uri_encode(name), first, last), text = text } }
  end
  require('emendo.attach').also(b)
  return {
    type = 'resource_link',
    uri = vim.uri_from_bufnr(b),
    name = vim.fn.fnamemodify(path, ':~:.'),
    _meta = { range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } } },
  }
end

---@type table<table, {buf: integer, first: integer, last: integer}> the lines of prompts on their way
local links = setmetatable({}, { __mode = 'k' })

--- Sends a text with the lines that are linked.
---@param text string
---@param done? fun(err: emendo.Error?, result: table?)
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
function M.ask(text, done, how)
  text = vim.trim(text)
  if text == '' then
    return tell.warn('there is no question')
  end
  local blocks = { { type = 'text', text = text } }
  local l = M.linked()
  if l then
    table.insert(blocks, block_of(l.buf, l.first, l.last))
    links[blocks] = l
  end
  M.unlink()
  session.prompt(blocks, done, how)
end

--- Sends what stands in the prompt and empties it, as an undo step of its own:
--- `u` brings the text back.
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
function M.send(how)
  local b = M.buffer()
  local text = table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\n')
  if vim.trim(text) ~= '' then
    vim.bo[b].undolevels = vim.bo[b].undolevels
    vim.api.nvim_buf_set_lines(b, 0, -1, false, {})
  end
  M.ask(text, nil, how)
end

--- Sends what stands in the prompt to the running turn.
function M.steer()
  M.send('steer')
end

--- Puts a question that could not be asked back with its lines, unless another
--- is being typed.
---@param blocks table[]
function M.give_back(blocks)
  local b = M.buffer()
  if vim.trim(table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false))) ~= '' then
    return
  end
  vim.api.nvim_buf_set_lines(b, 0, -1, false, vim.split(blocks[1].text, '\n', { plain = true }))
  local l = links[blocks]
  if l and vim.api.nvim_buf_is_loaded(l.buf) then
    M.link(l.buf, l.first, l.last)
  end
end

--- The line above the prompt: what goes with the question, and the keys.
---@return string
function M.winbar()
  local l = M.linked()
  local about = ''
  if l then
    local file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(l.buf), ':t'):gsub('%%', '%%%%')
    file = file ~= '' and file or '[No Name]'
    about = ('%%#EmendoLink# %s:%d-%d %%*'):format(file, l.first, l.last)
  end
  local running = session.current and session.current.running
  local queued = require('emendo.queue').brief()
  local keys = running and '<C-s> queues · <M-s> steers · <C-c> cancels' or '<C-s> sends'
  if queued ~= '' then
    local room = vim.api.nvim_win_get_width(vim.g.statusline_winid or 0) - #':Emendo queue' - 4
    queued = require('emendo.status').shortened(queued, room):gsub('%%', '%%%%')
    keys = ('%%#EmendoWarning#%s%%* %%#EmendoHunk#:Emendo queue'):format(queued)
  end
  return about .. '%=%#EmendoHunk#' .. keys .. ' %*'
end

return M
