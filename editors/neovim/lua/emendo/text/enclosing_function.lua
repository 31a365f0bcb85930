-- Finds the function around a line: with treesitter if possible, else from the symbols of a
-- language server.
local M = {}

-- How long a language server may take to list symbols, in milliseconds.
local patience = 500

-- Parts of the names of node types that are functions, across treesitter grammars, and of
-- similar names that are not.
local functions = { 'function', 'method', 'func_', 'constructor_declaration', 'subroutine', 'procedure' }
local parts = { 'call', 'type', 'parameter', 'name', 'identifier', 'body', 'modifier', 'signature', 'lambda', 'anonymous' }

---@param kind string a node's type
local function is_function(kind)
  local function has(words)
    return vim.iter(words):any(function(word)
      return kind:find(word, 1, true) ~= nil
    end)
  end
  return has(functions) and not has(parts)
end

---@param row integer zero-based
---@return integer? first one-based
---@return integer? last one-based
local function by_treesitter(buf, row)
  local ok, parser = pcall(vim.treesitter.get_parser, buf)
  if not ok or not parser then
    return nil
  end
  parser:parse({ row, row + 1 })
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  local col = #(line:match('^%s*'))
  local got, node = pcall(vim.treesitter.get_node, { bufnr = buf, pos = { row, col } })
  while got and node do
    if is_function(node:type()) then
      local first, _, last, column = node:range()
      return first + 1, column == 0 and last > first and last or last + 1
    end
    node = node:parent()
  end
end

local kinds = vim.lsp.protocol.SymbolKind
local wanted = { [kinds.Function] = true, [kinds.Method] = true, [kinds.Constructor] = true }

--- Returns the range of the innermost function that contains a row, in a list of symbols.
---@param symbols table[] DocumentSymbol or SymbolInformation
---@param row integer zero-based
local function innermost(symbols, row)
  for _, s in ipairs(symbols) do
    local range = s.range or s.location and s.location.range
    if range and range.start.line <= row and row <= range['end'].line then
      local inner = innermost(s.children or {}, row)
      if inner or wanted[s.kind] then
        return inner or range
      end
    end
  end
end

--- Calls done once with the first and last line of the function around a line, or with
--- nothing if none is found in time.
---@param row integer one-based
---@param done fun(first: integer?, last: integer?)
function M.around(buf, row, done)
  local first, last = by_treesitter(buf, row - 1)
  local asks = not first and #vim.lsp.get_clients({ bufnr = buf, method = 'textDocument/documentSymbol' }) > 0
  if not asks then
    return done(first, last)
  end
  local over = false
  local function once(results)
    local range
    for _, answer in pairs(not over and results or {}) do
      range = range or innermost(answer.result or {}, row - 1)
    end
    if not over then
      over = true
      done(range and range.start.line + 1, range and range['end'].line + 1)
    end
  end
  vim.lsp.buf_request_all(buf, 'textDocument/documentSymbol', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, once)
  vim.defer_fn(once, patience)
end

return M
