-- Lays out lines that are in no buffer as rows of a window: wrapped at its edge, coloured,
-- with invisible characters spelled out, and padded so that the background reaches the edge.
local syntax = require('emendo.text.syntax')
local visible = require('emendo.text.visible')

local M = {}

---@alias emendo.Row {[1]: string, [2]: string|string[]}[] chunks of a virtual line

--- Returns the text width of a buffer's narrowest window.
function M.room(buf)
  local least = vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    least = math.min(least, info.width - info.textoff)
  end
  return least
end


--- Wraps a line.
---@param opts {width: integer, tab: integer, base: string}
---@param ... emendo.Span[] its highlights, the weaker first
---@return emendo.Row[]
---@return integer used columns of the first row that have text
function M.line(line, opts, ...)
  local width, tab = opts.width, opts.tab
  local rows, row, at, first = {}, {}, 0, nil
  local function fill()
    first = first or at
    if at < width then
      row[#row + 1] = { (' '):rep(width - at), opts.base }
    end
    rows[#rows + 1] = row
    row, at = {}, 0
  end
  local function put(text, w, group)
    if at + w > width and at > 0 then
      fill()
    end
    local last = row[#row]
    if last and last[2] == group then
      last[1] = last[1] .. text
    else
      row[#row + 1] = { text, group }
    end
    at = at + w
  end
  for _, piece in ipairs(syntax.pieces(line, ...)) do
    local group = #piece[2] > 0 and vim.list_extend({ opts.base }, piece[2]) or opts.base
    for part, stop in piece[1]:gmatch('([^\t]*)(\t?)') do
      local text = visible.text(part)
      local w = text:find('[^ -~]') and vim.fn.strdisplaywidth(text) or #text
      if at + w <= width then
        if w > 0 then
          put(text, w, group)
        end
      else
        for _, character in ipairs(vim.fn.split(text, '\\zs')) do
          put(character, vim.fn.strdisplaywidth(character), group)
        end
      end
      if stop ~= '' then
        local n = math.min(tab - at % tab, math.max(width - at, 1))
        put((' '):rep(n), n, group)
      end
    end
  end
  fill()
  return rows, first or 0
end

--- Adds a remark after the text of a row, in place of padding. Reports whether it fits.
---@param row emendo.Row
---@param used integer columns of it that have text
---@param groups string|string[]
---@param opts {width: integer, base: string}
function M.remark(row, used, remark, groups, opts)
  local w = vim.fn.strdisplaywidth(remark)
  if used + 1 + w > opts.width then
    return false
  end
  if used < opts.width then
    row[#row] = nil -- the padding
  end
  row[#row + 1] = { ' ', opts.base }
  row[#row + 1] = { remark, groups }
  row[#row + 1] = { (' '):rep(opts.width - used - 1 - w), opts.base }
  return true
end

return M
