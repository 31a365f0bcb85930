-- Completion in the prompt after an `@` or a `/`. The server supplies the items; this
-- module converts its offsets to columns. 'omnifunc' uses it, and so do the sources of
-- completion plugins, through completion_sources.lua.
local client = require('emendo.server.client')
local session = require('emendo.session')

local M = {}

--- The characters that trigger completion.
M.triggers = { '@', '/' }

--- Reports whether the server counts in bytes rather than UTF-16 code units.
local function bytes()
  local c = client.server.client
  return c ~= nil and c.offset_encoding == 'utf-8'
end

---@param text string
---@return integer in the units in which the server counts
local function length(text)
  return bytes() and #text or vim.fn.strutf16len(text)
end

--- Converts an offset into the prompt to a column of the cursor line, or nil if it is in
--- an earlier line.
---@param offset integer in the units in which the server counts
---@return integer? in bytes, zero-based
local function column(offset, before, line)
  local units = offset - length(before)
  if units < 0 then
    return nil
  end
  local at = bytes() and units or vim.fn.byteidx(line, units, true)
  return at >= 0 and at or nil
end

---@class emendo.Completion
---@field label string
---@field kind string
---@field detail string?
---@field word string what replaces the text from `from` to the cursor
---@field from integer byte, zero-based
---@field to integer byte, zero-based

--- Reports whether the text before the cursor can be completed, to avoid a request for
--- every key.
---@param before string lines before it
---@param line string
---@return boolean
function M.possible(before, line)
  return line:match('@%S*$') ~= nil or line:match('@"[^"]*$') ~= nil or vim.trim(before) == '' and line:match('^%s*/%S*$') ~= nil
end

--- Calls back with the completion items at a position of the prompt, unless it is
--- cancelled first.
---@param buf integer
---@param row integer zero-based
---@param col integer bytes
---@param done fun(items: emendo.Completion[])
---@return fun() cancel
function M.items(buf, row, col, done)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, row + 1, false)
  local line = (table.remove(lines) or ''):sub(1, col)
  local before = #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
  local wanted = true
  local function answered(err, result)
    if not wanted then
      return
    end
    local items = {}
    for _, item in ipairs(not err and result and result.items or {}) do
      local from, to = column(item.range.start, before, line), column(item.range['end'], before, line)
      if from and to then
        items[#items + 1] = { label = item.label, kind = item.kind, detail = item.detail, word = item.insertText, from = from, to = to }
      end
    end
    done(items)
  end
  client.ensure(function(err) -- the position encoding is known once the server is ready
    if err then
      return answered(err)
    end
    client.request('emendo/prompt/complete', {
      sessionId = session.current and not session.current.stale and session.current.id or nil,
      text = before .. line,
      offset = length(before .. line),
    }, answered)
  end)
  return function()
    wanted = false
  end
end

local cancel_last = function() end -- cancels the last request

--- The prompt's 'omnifunc'. It must not wait for the server, whose messages are drawn
--- meanwhile, so the popup menu opens when the response arrives.
---@param findstart integer
function M.omnifunc(findstart, _)
  if findstart == 0 then
    return {}
  end
  M.popup()
  return -2
end

--- Opens the popup menu at the cursor, unless the user has continued to type.
---@param automatic? boolean nobody has asked for it: nothing is inserted without a choice
function M.popup(automatic)
  local buf = vim.api.nvim_get_current_buf()
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  cancel_last()
  cancel_last = M.items(buf, row - 1, col, function(items)
    local now = vim.api.nvim_win_get_cursor(0)
    local same = vim.api.nvim_get_current_buf() == buf and now[1] == row and now[2] == col and vim.api.nvim_get_current_line() == line
    if not items[1] or not same or vim.fn.mode():sub(1, 1) ~= 'i' then
      return
    end
    local words = vim.tbl_map(function(item)
      return { word = item.word, abbr = item.label, menu = item.detail, kind = item.kind, dup = 1 }
    end, items)
    if vim.fn.has('nvim-0.11') == 1 then -- the option is buffer-local since 0.11
      vim.bo[buf].completeopt = automatic and 'menuone,noselect' or ''
    end
    vim.fn.complete(items[1].from + 1, words)
  end)
end

return M
