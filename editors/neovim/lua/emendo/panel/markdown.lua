-- Highlights the Markdown of an answer as it streams in. Each answer is parsed on
-- its own; while it streams in, only the text after its last complete paragraph is
-- parsed, so the cost of a chunk does not depend on the length of the session. Text
-- that arrives faster than it can be parsed is plain until then.
local syntax = require('emendo.text.syntax')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.markdown')

-- Parsing takes about a millisecond per KB. `together` is the number of bytes that are
-- parsed at once, and the largest unfinished end that is parsed. A single paragraph or
-- code block of more than `largest` bytes stays plain.
local together = 8000
local largest = 32000
-- A call starts no further part after this time, in nanoseconds.
local stretch = 6e6

local available ---@type boolean?

--- Reports whether there is a treesitter parser for Markdown.
function M.available()
  if available == nil then
    available = pcall(vim.treesitter.language.add, 'markdown') and pcall(vim.treesitter.get_string_parser, '', 'markdown')
  end
  return available
end

--- Returns the next part of a text: as much as is parsed at once, up to a place where
--- later text cannot change its meaning. That is a blank line outside code, before a
--- line that is not indented.
---@param from integer where a part begins, one-based
---@return integer past line after the part
---@return integer bytes
---@return boolean complete it ends in such a place, not where the text ends at present
local function part(lines, from)
  local fence, bytes, last, size = nil, 0, nil, 0
  for i = from, #lines do
    local line = lines[i]
    bytes = bytes + #line + 1
    local mark = line:match('^%s*(```+)') or line:match('^%s*(~~~+)')
    if fence then
      if mark and vim.startswith(mark, fence) then
        fence = nil
      end
    elseif mark then
      fence = mark
    elseif line == '' and lines[i + 1] and lines[i + 1]:match('^%S') then
      if bytes > together then
        return last or i + 1, last and size or bytes, true
      end
      last, size = i + 1, bytes
    end
  end
  if last then
    return last, size, true
  end
  return #lines + 1, bytes, false
end

---@param row integer where the text stands, zero-based
local function highlight(buf, row, text)
  syntax.captures(text, 'markdown', function(node, name, lang, conceal)
    if name ~= 'markup.raw.block' then -- is drawn by code.lua
      local r1, c1, r2, c2 = node:range()
      pcall(vim.api.nvim_buf_set_extmark, buf, ns, row + r1, c1, {
        end_row = row + r2,
        end_col = c2,
        hl_group = name == 'markup.raw' and 'EmendoCodeInline' or '@' .. name .. '.' .. lang,
        conceal = conceal,
        priority = lang == 'markdown' and 100 or 101,
        strict = false,
      })
    end
  end)
end

--- Highlights an answer in the buffer, starting where the last call stopped.
---@param row integer the row of its first line, zero-based
---@param whole? boolean its end does not grow any more
---@return boolean more is left for another call
function M.draw(buf, block, row, whole)
  if not M.available() then
    return false
  end
  local lines, ends = block.head, vim.uv.hrtime() + stretch
  while block.parsed <= #lines do
    local past, bytes, complete = part(lines, block.parsed)
    if bytes <= ((complete or whole) and largest or together) then
      local first = row + block.parsed - 1
      vim.api.nvim_buf_clear_namespace(buf, ns, first, row + #lines)
      highlight(buf, first, table.concat(lines, '\n', block.parsed, past - 1) .. '\n')
    end
    if not complete then
      return false
    end
    block.parsed = past
    if vim.uv.hrtime() > ends then
      return true
    end
  end
  return false
end

return M
