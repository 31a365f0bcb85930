-- Describes and validates the answers to a question of a form.
local visible = require('emendo.text.visible')

local M = {}

local number = { number = true, integer = true }

--- Returns the bounds that apply to the type of a question. For texts and choices, a
--- minimum of 0 is no bound.
---@return number?, number?
local function limits(question)
  local function above(n)
    return n and n > 0 and n or nil
  end
  if number[question.type] then
    return question.minimum, question.maximum
  elseif question.type == 'choice' then
    if question.multiSelect then
      return above(question.minItems), question.maxItems
    end
    return nil, nil
  elseif question.type == 'yesno' then
    return nil, nil
  end
  return above(question.minLength), question.maxLength
end

--- Returns a description of the bounds; nil if there are none.
---@return string?
local function bounds(question)
  local least, most = limits(question)
  if not least and not most then
    return nil
  end
  local range = least and most and ('%s to %s'):format(least, most) or least and 'at least ' .. least or 'at most ' .. most
  if number[question.type] then
    return range
  end
  return range .. (question.type == 'choice' and ' of these' or ' characters')
end

local kinds = { number = 'a number', integer = 'a whole number', url = 'a web address' }

--- Returns the default answers of a question.
---@return string[]
function M.given(question)
  local default = question.default
  if type(default) == 'string' then
    return { default }
  end
  return type(default) == 'table' and default or {}
end

--- Returns a one-line description of valid answers; nil if any answer is valid.
---@return string?
function M.hint(question)
  local hints = {}
  hints[#hints + 1] = kinds[question.type] or (question.format or '') ~= '' and question.format or nil
  hints[#hints + 1] = bounds(question)
  local given = M.given(question)
  if #given > 0 then
    hints[#hints + 1] = 'by default ' .. table.concat(given, ', ')
  end
  if question.required then
    hints[#hints + 1] = 'required'
  end
  return hints[1] and visible.line(table.concat(hints, '; ')) or nil
end

--- Reports whether a choice can be answered with any text.
function M.takes_other(question)
  for _, option in ipairs(question.options or {}) do
    if option.value then
      return false
    end
  end
  return question.type == 'choice'
end

local function is_date(text)
  local year, month, day = text:match('^(%d%d%d%d)%-(%d%d)%-(%d%d)$')
  if not year then
    return false
  end
  local at = os.time({ year = tonumber(year), month = tonumber(month), day = tonumber(day), hour = 12 })
  return at ~= nil and os.date('%Y-%m-%d', at) == text
end

--- The description and the check of each type and format.
local wanted = {
  number = { 'a number, such as 12 or 3.5', function(text)
    return text:match('^[+-]?[%d.]+[eE]?[+-]?%d*$') ~= nil and tonumber(text) ~= nil
  end },
  integer = { 'a whole number, such as 12', function(text)
    return text:match('^[+-]?%d+$') ~= nil
  end },
  url = { 'a web address that begins with https:// or http://', function(text)
    return text:match('^https?://[^%s/]%S*$') ~= nil
  end },
  email = { 'an e-mail address, such as name@example.org', function(text)
    return text:match('^[^%s@]+@[^%s@]+%.[^%s@.]+$') ~= nil
  end },
  uri = { 'a whole address, such as https://example.org/page', function(text)
    return text:match('^%a[%w+.-]*:%S+$') ~= nil
  end },
  date = { 'a date as year-month-day, such as 2026-01-31', is_date },
  ['date-time'] = { 'a date and a time, such as 2026-01-31T14:30:00Z', function(text)
    local date, zone = text:match('^(%d%d%d%d%-%d%d%-%d%d)T%d%d:%d%d:?%d*%.?%d*(.+)$')
    return date ~= nil and is_date(date) and (zone == 'Z' or zone:match('^[+-]%d%d:%d%d$') ~= nil)
  end },
}

--- Returns what is wrong with the values of an answer; nil if they are valid.
---@param values string[]
---@return string?
function M.problem(question, values)
  local value = values[1]
  if not value then
    return question.required and 'an answer is required' or nil
  end
  local want = wanted[question.type] or question.type == 'text' and wanted[question.format] or nil
  if want and not want[2](value) then
    return 'want ' .. want[1]
  end
  local least, most = limits(question)
  local measured = question.type == 'choice' and #values or number[question.type] and tonumber(value) or vim.fn.strchars(value)
  if least and measured < least or most and measured > most then
    return 'want ' .. bounds(question)
  end
end

return M
