-- Completion in the prompt after an `@` or a `/`. The server supplies the items; here they become
-- those of LSP, for 'omnifunc' and for the sources of completion plugins.
local client = require('emendo.server.client')
local session = require('emendo.session')

local M = {}

--- The characters that trigger completion.
M.triggers = { '@', '/' }

local kinds = vim.lsp.protocol.CompletionItemKind

---@type table<string, integer>
local kind_of = {
  file = kinds.File,
  editor = kinds.File,
  folder = kinds.Folder,
  symbol = kinds.Function,
  selection = kinds.Reference,
  problems = kinds.Event,
  command = kinds.Keyword,
}

--- Reports whether the text before the cursor can be completed, to avoid a request for
--- every key.
---@param before string lines before it
---@param line string
---@return boolean
function M.possible(before, line)
  return line:match('@%S*$') ~= nil or line:match('@"[^"]*$') ~= nil or vim.trim(before) == '' and line:match('^%s*/%S*$') ~= nil
end

--- Calls back with the LSP CompletionList for a position of the prompt, unless it is cancelled
--- first.
---@param buf integer
---@param row integer zero-based
---@param col integer bytes
---@param encoding 'utf-8'|'utf-16' of the columns in the answer
---@param done fun(list: {isIncomplete: boolean, items: table[]})
---@return fun() cancel
function M.list(buf, row, col, encoding, done)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, row + 1, false)
  local line = (table.remove(lines) or ''):sub(1, col)
  local before = #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
  local wanted, none = true, { isIncomplete = false, items = {} }
  local function cancel()
    wanted = false
  end
  if not M.possible(before, line) then
    done(none)
    return cancel
  end
  local start = vim.fn.strutf16len(before)
  local function position(offset)
    return { line = row, character = encoding == 'utf-16' and offset - start or vim.fn.byteidx(line, offset - start, true) }
  end
  local params = {
    sessionId = session.current and not session.current.stale and session.current.id or nil,
    text = before .. line,
    offset = start + vim.fn.strutf16len(line),
  }
  client.request('emendo/prompt/complete', params, function(err, result)
    local items = {}
    for i, item in ipairs(not err and result.items or {}) do
      if item.range.start >= start then -- else it is in an earlier line
        items[#items + 1] = {
          label = item.label,
          kind = kind_of[item.kind] or kinds.Text,
          detail = item.detail,
          filterText = item.insertText,
          sortText = ('%03d'):format(i),
          textEdit = { newText = item.insertText, range = { start = position(item.range.start), ['end'] = position(item.range['end']) } },
        }
      end
    end
    if wanted then
      done({ isIncomplete = true, items = items }) -- the server matches letters, plugins match words
    end
  end)
  return cancel
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
  cancel_last = M.list(buf, row - 1, col, 'utf-8', function(list)
    local now, first = vim.api.nvim_win_get_cursor(0), list.items[1]
    local same = vim.api.nvim_get_current_buf() == buf and now[1] == row and now[2] == col and vim.api.nvim_get_current_line() == line
    if not first or not same or vim.fn.mode():sub(1, 1) ~= 'i' then
      return
    end
    local words = vim.tbl_map(function(item)
      return { word = item.textEdit.newText, abbr = item.label, menu = item.detail, kind = kinds[item.kind], dup = 1 }
    end, list.items)
    if vim.fn.has('nvim-0.11') == 1 then -- the option is buffer-local since 0.11
      vim.bo[buf].completeopt = automatic and 'menuone,noselect' or ''
    end
    vim.fn.complete(first.textEdit.range.start.character + 1, words)
  end)
end

return M
