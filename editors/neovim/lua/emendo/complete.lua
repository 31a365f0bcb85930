-- Completion in the prompt: what can follow an `@` or a `/`. The server knows
-- what there is; this turns its offsets into columns.
local client = require('emendo.client')
local session = require('emendo.session')

local M = {}

--- The prompt's lines before the cursor's, and the cursor's up to the cursor.
---@return string before
---@return string line
local function typed()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local lines = vim.api.nvim_buf_get_lines(0, 0, row, false)
  local line = (table.remove(lines) or ''):sub(1, column)
  local before = #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
  return before, line
end

--- Whether the server counts bytes; otherwise it counts UTF-16 code units.
local function bytes()
  local c = client.server.client
  return c ~= nil and c.offset_encoding == 'utf-8'
end

---@param text string
---@return integer in the units in which the server counts
local function length(text)
  return bytes() and #text or vim.fn.strutf16len(text)
end

--- The column of an offset into the prompt, if it is in the cursor's line.
---@param offset integer in the units in which the server counts
---@return integer? in bytes, zero-based
local function column(offset, before, line)
  local units = offset - length(before)
  if units < 0 then
    return nil
  end
  return bytes() and units or vim.fn.byteidx(line, units, true)
end

local asked = 0 -- the number of the last question: answers to older ones are late

--- Shows the items, unless the user has gone on meanwhile.
---@param items table[]
local function show(items, before, line)
  local start = items[1] and column(items[1].range.start, before, line)
  local now_before, now_line = typed()
  if not start or start < 0 or now_before ~= before or now_line ~= line or vim.fn.mode():sub(1, 1) ~= 'i' then
    return
  end
  local words = vim.tbl_map(function(item)
    return { word = item.insertText, abbr = item.label, menu = item.detail, kind = item.kind, dup = 1 }
  end, items)
  vim.fn.complete(start + 1, words)
end

--- The prompt's 'omnifunc'. Nothing may wait in it, since what the server sends
--- meanwhile is drawn: the popup opens when the answer is there.
---@param findstart integer
function M.omnifunc(findstart, _)
  if findstart == 0 then
    return {}
  end
  local before, line = typed()
  local buf = vim.api.nvim_get_current_buf()
  asked = asked + 1
  local question = asked
  client.request('emendo/prompt/complete', {
    sessionId = session.current and session.current.id,
    text = before .. line,
    offset = length(before .. line),
  }, function(err, result)
    if not err and result and question == asked and vim.api.nvim_get_current_buf() == buf then
      show(result.items, before, line)
    end
  end)
  return -2
end

return M
