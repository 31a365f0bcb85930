-- Completion in the prompt after an `@` or a `/`. The server supplies the items; here they become
-- those of LSP, for a small language server inside Neovim, which completion plugins find, and for
-- 'omnifunc'.
local client = require('emendo.server.client')
local position = require('emendo.server.position')
local session = require('emendo.session')

local M = {}

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
local function possible(before, line)
  return line:match('@%S*$') or line:match('@"[^"]*$') or vim.trim(before) == '' and line:match('^%s*/%S*$')
end

--- Calls back with the LSP CompletionList for a position of the prompt.
---@param row integer zero-based
---@param col integer bytes
---@param done fun(list: {isIncomplete: boolean, items: table[]})
local function list(buf, row, col, done)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, row + 1, false)
  local line = (table.remove(lines) or ''):sub(1, col)
  local before = #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
  if not possible(before, line) then
    return done({ isIncomplete = false, items = {} })
  end
  local start = vim.fn.strutf16len(before)
  local function at(offset)
    return { line = row, character = offset - start }
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
          textEdit = { newText = item.insertText, range = { start = at(item.range.start), ['end'] = at(item.range['end']) } },
        }
      end
    end
    done({ isIncomplete = true, items = items }) -- the server matches letters, plugins match words
  end)
end

local capabilities = {
  positionEncoding = 'utf-16',
  textDocumentSync = { openClose = true, change = 0 },
  completionProvider = { triggerCharacters = { '@', '/' } },
}

--- The `cmd` function of the language server inside Neovim.
---@param dispatchers vim.lsp.rpc.Dispatchers
local function serve(dispatchers)
  local closing, id = false, 0
  return {
    request = function(method, params, callback, answered)
      id = id + 1
      local this = id
      local function answer(result)
        if answered then
          answered(this)
        end
        callback(nil, result)
      end
      if method == 'initialize' then
        answer({ capabilities = capabilities, serverInfo = { name = 'emendo prompt' } })
      elseif method == 'textDocument/completion' then
        local buf, at = vim.uri_to_bufnr(params.textDocument.uri), params.position
        local line = vim.api.nvim_buf_get_lines(buf, at.line, at.line + 1, false)[1] or ''
        list(buf, at.line, position.byte(line, at.character), vim.schedule_wrap(answer)) -- after request has returned
      else
        answer(vim.NIL)
      end
      return true, this
    end,
    notify = function(method)
      if method == 'exit' and not closing then
        closing = true
        dispatchers.on_exit(0, 0)
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

--- Opens the popup menu at the cursor, unless the user has continued to type.
---@param automatic? boolean nobody has asked for it: nothing is inserted without a choice
local function popup(automatic)
  local function here()
    return { vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0), vim.api.nvim_get_current_line() }
  end
  local asked = here()
  local buf, cursor, line = unpack(asked)
  list(buf, cursor[1] - 1, cursor[2], function(found)
    local first = found.items[1]
    if not first or not vim.deep_equal(asked, here()) or vim.fn.mode():sub(1, 1) ~= 'i' then
      return
    end
    local words = vim.tbl_map(function(item)
      return { word = item.textEdit.newText, abbr = item.label, menu = item.detail, kind = kinds[item.kind], dup = 1 }
    end, found.items)
    if vim.fn.has('nvim-0.11') == 1 then -- the option is buffer-local since 0.11
      vim.bo[buf].completeopt = automatic and 'menuone,noselect' or ''
    end
    vim.fn.complete(position.byte(line, first.textEdit.range.start.character) + 1, words)
  end)
end

--- The prompt's 'omnifunc'. It must not wait for the server, whose messages are drawn
--- meanwhile, so the popup menu opens when the response arrives. Neovim's own for language
--- servers drops what does not begin with the typed text.
function M.omnifunc(findstart, _)
  if findstart == 0 then
    return {}
  end
  popup()
  return -2
end

--- Enables completion in a buffer of the prompt.
function M.enable(buf)
  vim.bo[buf].omnifunc = "v:lua.require'emendo.panel.completion'.omnifunc"
  pcall(vim.api.nvim_buf_call, buf, function() -- 0.10 attaches to the current buffer
    vim.lsp.start({ name = 'emendo-prompt', cmd = serve, root_dir = vim.fn.getcwd() }, { bufnr = buf })
  end)
  vim.api.nvim_create_autocmd('TextChangedI', {
    buffer = buf,
    callback = function() -- 'autocomplete' does not support asynchronous functions itself
      if vim.fn.exists('+autocomplete') == 1 and vim.o.autocomplete and vim.fn.pumvisible() == 0 then
        popup(true)
      end
    end,
  })
end

return M
