-- Sends the editor's context to the server: the current file, the cursor or selection,
-- the visible lines, and the open files.
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local events = require('emendo.events')
local file_window = require('emendo.server.file_window')
local position = require('emendo.server.position')

local M = {}

-- The minimum interval between two notifications, in milliseconds.
local every = 50
-- The maximum number of recently used files to send.
local files = 10

local timer = assert(vim.uv.new_timer())
local focused = {} ---@type table<integer, integer> when a buffer was last in front, in ms

local function selection(win, buf)
  local mode = vim.api.nvim_get_mode().mode
  local cursor = vim.api.nvim_win_get_cursor(win)
  if win ~= vim.api.nvim_get_current_win() or not mode:match('^[vV\22]') then
    local at = position.lsp(buf, cursor[1] - 1, cursor[2])
    return { start = at, ['end'] = at }
  end
  local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  if mode:match('^V') then
    return { start = { line = from[2] - 1, character = 0 }, ['end'] = { line = to[2], character = 0 } }
  end
  local line = vim.api.nvim_buf_get_lines(buf, to[2] - 1, to[2], false)[1] or ''
  local last = math.min(#line, to[3]) -- the character under the cursor is selected too
  last = last > 0 and last - 1 + #vim.fn.strpart(line, last - 1, 1, true) or 0
  return { start = position.lsp(buf, from[2] - 1, from[3] - 1), ['end'] = position.lsp(buf, to[2] - 1, last) }
end

--- Returns the context to send to the server.
local function collect()
  local win = file_window.current()
  local context = { openEditors = {} }
  if win then
    local buf = vim.api.nvim_win_get_buf(win)
    focused[buf] = vim.uv.now()
    context.activeEditor = {
      uri = vim.uri_from_bufnr(buf),
      selections = { selection(win, buf) },
      visibleRanges = {
        { start = { line = vim.fn.line('w0', win) - 1, character = 0 }, ['end'] = { line = vim.fn.line('w$', win), character = 0 } },
      },
    }
  end
  local bufs = vim.tbl_keys(buffers.paths)
  table.sort(bufs, function(a, b)
    local x, y = focused[a] or 0, focused[b] or 0
    return x > y or x == y and a < b
  end)
  for i = 1, math.min(files, #bufs) do
    if vim.api.nvim_buf_is_valid(bufs[i]) and vim.bo[bufs[i]].buflisted then
      table.insert(context.openEditors, { uri = vim.uri_from_bufnr(bufs[i]), lastFocused = focused[bufs[i]] })
    end
  end
  return context
end

--- Sends the context immediately, such as before a prompt. It is also sent when it changes.
function M.flush()
  timer:stop()
  client.notify('emendo/editor/didChangeContext', collect())
end


events.after({ 'CursorMoved', 'CursorMovedI', 'ModeChanged', 'BufEnter', 'WinEnter', 'WinScrolled', 'BufDelete' }, function(event)
  if event.event == 'BufDelete' then
    focused[event.buf] = nil
  end
  if client.server.ready and not timer:is_active() then
    timer:start(every, 0, vim.schedule_wrap(M.flush))
  end
end)

return M
