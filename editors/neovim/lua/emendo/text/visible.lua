-- Text as a reader can see it: characters that are invisible or reorder the text around them
-- are spelled out, so that a question contains nothing hidden, and what is too wide is cut.
local M = {}

-- Characters above ASCII that are invisible or blank, reorder others, or have no standard
-- glyph.
local hidden = {
  { 0x80, 0xA0 },
  { 0xAD, 0xAD },
  { 0x034F, 0x034F },
  { 0x0600, 0x0605 },
  { 0x061C, 0x061C },
  { 0x06DD, 0x06DD },
  { 0x070F, 0x070F },
  { 0x0890, 0x0891 },
  { 0x08E2, 0x08E2 },
  { 0x115F, 0x1160 },
  { 0x1680, 0x1680 },
  { 0x17B4, 0x17B5 },
  { 0x180B, 0x180F },
  { 0x2000, 0x200F },
  { 0x2028, 0x202F },
  { 0x205F, 0x206F },
  { 0x2800, 0x2800 },
  { 0x3000, 0x3000 },
  { 0x3164, 0x3164 },
  { 0xE000, 0xF8FF },
  { 0xFE00, 0xFE0D }, -- without the two that select text or emoji style
  { 0xFEFF, 0xFEFF },
  { 0xFFA0, 0xFFA0 },
  { 0xFFF0, 0xFFFB },
  { 0x110BD, 0x110BD },
  { 0x110CD, 0x110CD },
  { 0x13430, 0x1343F },
  { 0x1BCA0, 0x1BCA3 },
  { 0x1D173, 0x1D17A },
  { 0xE0000, 0x10FFFF },
}

local function spelled(character)
  local code = vim.fn.char2nr(character, true)
  for _, range in ipairs(hidden) do
    if range[1] <= code and code <= range[2] then
      return ('\\u{%04X}'):format(code)
    end
  end
end

local function control(character)
  return character ~= '\n' and character ~= '\t' and ('\\u{%04X}'):format(character:byte()) or nil
end

--- Returns a text with invisible characters spelled out. Line breaks and tabs stay.
function M.text(text)
  return (text:gsub('%c', control):gsub('[\194-\244][\128-\191]+', spelled))
end

--- Returns prose with the characters spelled out that reorder the text around them. Others that
--- are not seen do no harm there.
function M.prose(text)
  return (text:gsub('%c', control):gsub('\226\128[\170-\174]', spelled):gsub('\226\129[\166-\169]', spelled))
end

--- Like M.text, but in one line: line breaks and tabs are spelled out too.
function M.line(text)
  return (M.text(text):gsub('[\n\t]', { ['\n'] = '\\n', ['\t'] = '\\t' }))
end

--- Returns the lines of a trimmed text, with invisible characters spelled out.
function M.lines(text)
  return vim.split(M.text(vim.trim(text)), '\n', { plain = true })
end

--- Returns a text, cut off with an ellipsis if it is wider than `room` columns.
function M.shortened(text, room)
  if vim.fn.strdisplaywidth(text) <= room then
    return text
  end
  while text ~= '' and vim.fn.strdisplaywidth(text) >= room do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
  end
  return text .. '…'
end

--- Returns a text of any length as one row of a vim.ui.select list.
---@param tail? string is shown in any case
function M.row(text, tail)
  tail = tail or ''
  local room = vim.o.columns - #'10: ' - vim.fn.strdisplaywidth(tail) - 1
  return M.shortened(M.line((text:gsub('%s+', ' '))), math.max(10, room)) .. tail
end

return M
