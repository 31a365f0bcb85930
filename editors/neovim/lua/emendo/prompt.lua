-- The prompt: an ordinary buffer below the panel, with its own undo, and the
-- lines that go with the next question.
local session = require('emendo.session')
local tell = require('emendo.tell')

local M = {}

local name = 'emendo://prompt'
local buf ---@type integer?
local ns = vim.api.nvim_create_namespace('emendo.selection')

---@class emendo.Linked lines that go with the next question; an extmark follows them
---@field buf integer
---@field mark integer
local linked ---@type emendo.Linked?

---@return integer
function M.buffer()
  if buf and vim.api.nvim_buf_is_valid(buf) then
    return buf
  end
  buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].filetype = 'emendo-prompt'
  local function key(modes, lhs, action, desc)
    vim.keymap.set(modes, lhs, action, { buffer = buf, desc = 'emendo: ' .. desc })
  end
  key('n', '<CR>', M.send, 'send')
  key({ 'n', 'i' }, '<C-s>', M.send, 'send')
  key({ 'n', 'i' }, '<C-c>', session.cancel, 'cancel the turn')
  return buf
end

--- The prompt's window in this tab page.
---@return integer?
function M.window()
  for _, win in ipairs(buf and vim.fn.win_findbuf(buf) or {}) do
    if vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
      return win
    end
  end
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

--- A link to lines of a buffer, as a prompt carries it.
---@param b integer
---@param first integer one-based
---@param last integer one-based, included
---@return table ContentBlock
local function resource_link(b, first, last)
  local path = vim.api.nvim_buf_get_name(b)
  return {
    type = 'resource_link',
    uri = vim.uri_from_bufnr(b),
    name = vim.fn.fnamemodify(path, ':~:.'),
    _meta = { range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } } },
  }
end

--- Sends a text with the lines that are linked.
---@param text string
---@param done? fun(err: emendo.Error?, result: table?)
---@return boolean sent
function M.ask(text, done)
  text = vim.trim(text)
  if text == '' then
    tell.warn('there is no question')
    return false
  end
  local blocks = { { type = 'text', text = text } }
  local l = M.linked()
  if l then
    table.insert(blocks, resource_link(l.buf, l.first, l.last))
  end
  M.unlink()
  session.prompt(blocks, done)
  return true
end

--- Sends what stands in the prompt and empties it; `u` brings it back.
function M.send()
  local b = M.buffer()
  local text = table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\n')
  if M.ask(text) then
    vim.api.nvim_buf_set_lines(b, 0, -1, false, {})
  end
end

--- Puts a question that could not be asked back with its lines, unless another
--- is being typed.
---@param blocks table[]
function M.give_back(blocks)
  local b = M.buffer()
  local empty = vim.trim(table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false))) == ''
  if empty then
    vim.api.nvim_buf_set_lines(b, 0, -1, false, vim.split(blocks[1].text, '\n', { plain = true }))
    local range = blocks[2] and blocks[2]._meta.range
    if range then
      M.link(vim.uri_to_bufnr(blocks[2].uri), range.start.line + 1, range['end'].line)
    end
  end
end

--- The line above the prompt: what goes with the question, and the keys.
---@return string
function M.winbar()
  local l = M.linked()
  local about = ''
  if l then
    local file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(l.buf), ':t'):gsub('%%', '%%%%')
    about = ('%%#EmendoLink# %s:%d-%d %%*'):format(file, l.first, l.last)
  end
  local keys = session.current and session.current.running and '<C-c> cancels' or '<C-s> sends'
  return about .. '%=%#EmendoHunk#' .. keys .. ' %*'
end

return M
