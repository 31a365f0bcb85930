-- Syntax colours for text that has no buffer of its own: code in answers, lines that a hunk
-- adds, commands. They come from a treesitter parser if there is one, else from Vim's own
-- syntax.
local M = {}

---@class emendo.Span a highlight within a line
---@field from integer byte, zero-based
---@field to integer the byte after it
---@field group string

---@class emendo.Language
---@field type string the filetype
---@field parser string? treesitter's language, if there is a parser with colours
---@field syntax boolean Vim has syntax for it

-- Common names of languages that are neither the filetype nor a file name extension.
local names = {
  bash = 'sh',
  console = 'sh',
  golang = 'go',
  ['c#'] = 'cs',
  json5 = 'json',
  jsonc = 'json',
  makefile = 'make',
  patch = 'diff',
  python3 = 'python',
  shell = 'sh',
  ['shell-session'] = 'sh',
  viml = 'vim',
  vimscript = 'vim',
}
-- Text that is not code.
local plain = { text = true, txt = true, plain = true, plaintext = true, output = true, log = true }

-- Only this many bytes at the start of a line are coloured by Vim's syntax.
local longest = 400

local known = {} ---@type table<string, emendo.Language|false> by the name that was asked for

local function filetype(name)
  if names[name] then
    return names[name]
  elseif #vim.api.nvim_get_runtime_file('syntax/' .. name .. '.vim', false) > 0 then
    return name
  end
  return vim.filetype.match({ filename = 'code.' .. name })
end

local function parser(type)
  local lang = vim.treesitter.language.get_lang(type) or type
  local ok, query = pcall(function()
    return vim.treesitter.language.add(lang) ~= nil and vim.treesitter.get_string_parser('', lang) and vim.treesitter.query.get(lang, 'highlights')
  end)
  return ok and query and lang or nil
end

--- Returns the language for a name: a filetype, or the info string of a fenced code block.
---@param name string?
---@return emendo.Language? nil when there are no colours for it
function M.language(name)
  name = (name or ''):lower()
  if known[name] == nil then
    known[name] = false
    if name:match('^[%w][%w_+#.-]*$') and not plain[name] then
      local type = filetype(name) or name
      local lang = { type = type, parser = parser(type) }
      lang.syntax = not lang.parser and #vim.api.nvim_get_runtime_file('syntax/' .. type .. '.vim', false) > 0
      known[name] = (lang.parser or lang.syntax) and lang or false
    end
  end
  return known[name] or nil
end

--- Calls a function with each treesitter capture of a text that is highlighted.
---@param f fun(node: TSNode, name: string, lang: string, conceal: string?)
function M.captures(text, lang, f)
  local trees = vim.treesitter.get_string_parser(text, lang)
  trees:parse(true)
  trees:for_each_tree(function(tree, of)
    local query = vim.treesitter.query.get(of:lang(), 'highlights')
    for id, node, meta in (query and query:iter_captures(tree:root(), text) or function() end) do
      local name = query.captures[id]
      if not vim.startswith(name, '_') and name ~= 'spell' and name ~= 'nospell' then
        f(node, name, of:lang(), meta[id] and meta[id].conceal or meta.conceal)
      end
    end
  end)
end

--- Returns the colours of lines by treesitter.
---@return emendo.Span[][] by line
local function parsed(lang, lines)
  local spans = {}
  for i = 1, #lines do
    spans[i] = {}
  end
  M.captures(table.concat(lines, '\n') .. '\n', lang, function(node, name, of)
    local r1, c1, r2, c2 = node:range()
    for row = r1, math.min(r2, #lines - 1) do
      local from, to = row == r1 and c1 or 0, row == r2 and c2 or #lines[row + 1]
      if to > from then
        table.insert(spans[row + 1], { from = from, to = to, group = '@' .. name .. '.' .. of })
      end
    end
  end)
  return spans
end

---@class emendo.Sheet a hidden buffer with the syntax of a filetype
---@field buf integer
---@field owner any whose lines are in it
---@field count integer so many
local sheets = {} ---@type table<string, emendo.Sheet> by filetype

local function sheet(type)
  local s = sheets[type]
  if s and vim.api.nvim_buf_is_loaded(s.buf) then
    return s
  end
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'all'
  local ok, buf = pcall(vim.api.nvim_create_buf, false, true)
  vim.o.eventignore = ignored
  if not ok then
    return nil
  end
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].undolevels = -1
  s = { buf = buf, count = 0 }
  sheets[type] = s
  vim.api.nvim_buf_call(buf, function()
    -- like :ownsyntax, but without triggering autocommands of other plugins
    pcall(vim.cmd, ('silent! runtime! syntax/%s.vim syntax/%s/*.vim'):format(type, type))
    vim.cmd.syntax({ 'sync', 'fromstart' })
  end)
  return s
end

local ids = {} ---@type table<integer, string> the names of syntax groups


--- Returns the colours of a line of the current buffer by Vim's syntax.
local function scanned(row, line)
  local spans, last, from = {}, 0, 0
  local synID = vim.fn.synID
  for col = 1, math.min(#line, longest) + 1 do
    local byte = line:byte(col)
    local inside = byte and byte >= 0x80 and byte < 0xC0 -- not the first byte of a character
    local id = inside and last or (byte and col <= longest and synID(row, col, 1) or 0)
    if id ~= last then
      if last ~= 0 then
        ids[last] = ids[last] or vim.fn.synIDattr(last, 'name')
        spans[#spans + 1] = { from = from, to = col - 1, group = ids[last] }
      end
      last, from = id, col - 1
    end
  end
  return spans
end

--- Returns the colours of some lines of a growing text, by Vim's syntax. Lines before `from`
--- that the last call with the same owner passed are not written to the hidden buffer again.
---@param owner any whose text it is
---@param lines string[] all of it
---@param from integer the first line that is wanted, one-based
---@param to integer the last
---@return emendo.Span[][] from the first that is wanted
function M.scan(lang, owner, lines, from, to)
  local s = sheet(lang.type)
  if not s then
    return {}
  end
  if s.owner ~= owner or owner == nil or s.count > #lines then
    vim.api.nvim_buf_set_lines(s.buf, 0, -1, false, lines)
  else
    vim.api.nvim_buf_set_lines(s.buf, math.min(from - 1, s.count), -1, false, vim.list_slice(lines, math.min(from, s.count + 1)))
  end
  s.owner, s.count = owner, #lines
  local spans = {}
  vim.api.nvim_buf_call(s.buf, function()
    for i = from, to do
      spans[#spans + 1] = scanned(i, lines[i])
    end
  end)
  return spans
end

--- Returns the colours of a text, or an empty list without a language or after an error.
---@param lang emendo.Language?
---@return emendo.Span[][] by line
function M.spans(lang, lines)
  if not lang or #lines == 0 then
    return {}
  end
  local ok, spans = pcall(function()
    if lang.parser then
      return parsed(lang.parser, lines)
    end
    return M.scan(lang, nil, lines, 1, #lines)
  end)
  return ok and spans or {}
end

--- Cuts a line where one of its highlights begins or ends. Each piece has the groups
--- that apply to it, the strongest last.
---@param ... emendo.Span[] the weaker first; within one list the later ones are stronger
---@return {[1]: string, [2]: string[]}[]
function M.pieces(line, ...)
  local lists, cuts, at = { ... }, { 0, #line }, { [0] = true, [#line] = true }
  for _, list in ipairs(lists) do
    for _, span in ipairs(list) do
      for _, byte in ipairs({ span.from, span.to }) do
        if byte < #line and not at[byte] then
          at[byte] = true
          cuts[#cuts + 1] = byte
        end
      end
    end
  end
  table.sort(cuts)
  local pieces = {}
  for i = 1, #cuts - 1 do
    local from, groups = cuts[i], {}
    for _, list in ipairs(lists) do
      for _, span in ipairs(list) do
        if span.from <= from and span.to > from then
          groups[#groups + 1] = span.group
        end
      end
    end
    pieces[i] = { line:sub(from + 1, cuts[i + 1]), groups }
  end
  return pieces
end

return M
