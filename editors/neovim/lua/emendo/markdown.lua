-- Highlights the Markdown of an answer as it streams in. Each answer is parsed on
-- its own, and of a growing one only what follows the last paragraph that is
-- complete, so that a chunk costs the same however long the session is.
local M = {}

local ns = vim.api.nvim_create_namespace('emendo.markdown')

-- A paragraph, or a block of code, that is longer than so many lines is parsed
-- again only when it has grown by as many.
local step = 200

local available ---@type boolean?

--- Whether there is a treesitter parser for Markdown.
---@return boolean
function M.available()
  if available == nil then
    available = pcall(vim.treesitter.language.add, 'markdown') and pcall(vim.treesitter.get_string_parser, '', 'markdown')
  end
  return available
end

--- The end of the last part that nothing which follows can change the meaning
--- of: a blank line outside code, before a line that is not indented.
---@param lines string[]
---@param from integer a line where such a part begins, one-based
---@return integer line after that end, one-based
local function complete(lines, from)
  local fence, last = nil, from
  for i = from, #lines do
    local line = lines[i]
    local mark = line:match('^%s*(```+)') or line:match('^%s*(~~~+)')
    if fence then
      if mark and vim.startswith(mark, fence) then
        fence = nil
      end
    elseif mark then
      fence = mark
    elseif line == '' and lines[i + 1] and lines[i + 1]:match('^%S') then
      last = i + 1
    end
  end
  return last
end

--- Sets the marks of one capture.
local function mark(buf, row, node, group, conceal, priority)
  local r1, c1, r2, c2 = node:range()
  pcall(vim.api.nvim_buf_set_extmark, buf, ns, row + r1, c1, {
    end_row = row + r2,
    end_col = c2,
    hl_group = group,
    conceal = conceal,
    priority = priority,
    strict = false,
  })
end

---@param buf integer
---@param row integer where the text stands, zero-based
---@param text string
local function highlight(buf, row, text)
  local parser = vim.treesitter.get_string_parser(text, 'markdown')
  parser:parse(true)
  parser:for_each_tree(function(tree, of)
    local lang = of:lang()
    local query = vim.treesitter.query.get(lang, 'highlights')
    if not query then
      return
    end
    for id, node, meta in query:iter_captures(tree:root(), text) do
      local name = query.captures[id]
      if not vim.startswith(name, '_') and name ~= 'spell' and name ~= 'nospell' then
        local own = meta[id] or {}
        mark(buf, row, node, '@' .. name .. '.' .. lang, own.conceal or meta.conceal, 100 + (lang == 'markdown' and 0 or 1))
      end
    end
  end)
end

--- Highlights an answer where it stands.
---@param buf integer
---@param block emendo.Block
---@param row integer the row of its first line, zero-based
---@param fresh boolean it was drawn anew, not added to
function M.draw(buf, block, row, fresh)
  if not M.available() then
    return
  end
  if fresh then
    block.parsed, block.tried = 1, 0
  end
  local lines = block.head
  local grown = #lines - block.parsed
  if grown > step and grown < block.tried + step and not fresh then
    return
  end
  vim.api.nvim_buf_clear_namespace(buf, ns, row + block.parsed - 1, row + #lines)
  highlight(buf, row + block.parsed - 1, table.concat(lines, '\n', block.parsed) .. '\n')
  block.parsed = complete(lines, block.parsed)
  block.tried = #lines - block.parsed
end

--- Highlights the end of an answer that was left for later and will not grow
--- any more.
---@param buf integer
---@param block emendo.Block
---@param row integer
function M.finish(buf, block, row)
  if block.tried and #block.head - block.parsed > block.tried then
    block.tried = -step
    M.draw(buf, block, row, false)
  end
end

return M
