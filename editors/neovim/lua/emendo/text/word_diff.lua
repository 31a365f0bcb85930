-- Finds the changed words in changed lines, by comparing the words, blanks and other
-- characters of a hunk's old and new text.
local M = {}

-- Hunks of more than `largest` bytes are not compared. A line of which more than the share
-- `most` has changed is not marked, since marks everywhere would mean nothing.
local largest, most = 16000, 0.7

---@class emendo.Token
---@field line integer one-based
---@field from integer byte, zero-based
---@field to integer the byte after it
---@field blank boolean

--- Returns the words, blanks and other characters of lines, and the end of each line.
---@param lines string[]
---@return emendo.Token[]
---@return string one on each line, as vim.diff compares them
local function tokens(lines)
  local list, texts = {}, {}
  local function add(line, from, to, text)
    list[#list + 1] = { line = line, from = from, to = to, blank = text:match('^%s*$') ~= nil }
    texts[#texts + 1] = text
  end
  for i, line in ipairs(lines) do
    local at = 1
    while at <= #line do
      local to = line:match('^[%w_\128-\255]+()', at) or line:match('^%s+()', at) or at + 1
      add(i, at - 1, to - 1, line:sub(at, to - 1))
      at = to
    end
    add(i, #line, #line, '')
  end
  return list, table.concat(texts, '\n') .. '\n'
end

--- Returns the spans of the changed tokens. Merges spans that touch or have only a blank
--- between them.
---@param list emendo.Token[]
---@param changed table<integer, boolean>
---@param lines string[]
---@return emendo.Span[][] by line
local function spans_of(list, changed, lines, group)
  local spans, sizes = {}, {}
  for i = 1, #lines do
    spans[i], sizes[i] = {}, 0
  end
  for i, token in ipairs(list) do
    local between = token.blank and changed[i - 1] and changed[i + 1]
    if token.to > token.from and (changed[i] or between) then
      local of = spans[token.line]
      local last = of[#of]
      if last and last.to == token.from then
        last.to = token.to
      else
        of[#of + 1] = { from = token.from, to = token.to, group = group }
      end
      sizes[token.line] = sizes[token.line] + token.to - token.from
    end
  end
  for i, line in ipairs(lines) do
    if sizes[i] > most * #vim.trim(line) then
      spans[i] = {} -- it is a different line
    end
  end
  return spans
end

--- Returns the spans of the changed words of a hunk.
---@param old string[]
---@param new string[]
---@return emendo.Span[][] of the old lines
---@return emendo.Span[][] of the new lines
function M.changed(old, new)
  if #old == 0 or #new == 0 then
    return {}, {}
  end
  local a, left = tokens(old)
  local b, right = tokens(new)
  if #left + #right > largest then
    return {}, {}
  end
  local gone, come = {}, {}
  for _, h in ipairs(vim.diff(left, right, { result_type = 'indices', algorithm = 'histogram' })) do
    for i = h[1], h[1] + h[2] - 1 do
      gone[i] = true
    end
    for i = h[3], h[3] + h[4] - 1 do
      come[i] = true
    end
  end
  return spans_of(a, gone, old, 'EmendoDeleteText'), spans_of(b, come, new, 'EmendoAddText')
end

return M
