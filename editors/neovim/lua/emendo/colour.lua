-- Colour arithmetic: blending, contrast as defined by WCAG, and the nearest of a
-- terminal's 256 colours. A colour is a number, 0xRRGGBB.
local M = {}

local function parts(c)
  return math.floor(c / 0x10000) % 0x100, math.floor(c / 0x100) % 0x100, c % 0x100
end

local function whole(r, g, b)
  local function byte(x)
    return math.max(0, math.min(255, math.floor(x + 0.5)))
  end
  return byte(r) * 0x10000 + byte(g) * 0x100 + byte(b)
end

--- Blends two colours.
---@param over integer
---@param under integer
---@param share number of the first, from 0 to 1
function M.blend(over, under, share)
  local r1, g1, b1 = parts(over)
  local r2, g2, b2 = parts(under)
  return whole(r2 + (r1 - r2) * share, g2 + (g1 - g2) * share, b2 + (b1 - b2) * share)
end

--- Returns a more saturated colour of the same hue: the text colours of many schemes are
--- too pale to tint a background.
---@param otherwise integer for a colour without a hue
function M.vivid(c, otherwise)
  local r, g, b = parts(c)
  local most, least = math.max(r, g, b), math.min(r, g, b)
  if most - least < 24 then
    return otherwise
  end
  local grey = least * 0.85
  local scale = 215 / (most - grey)
  return whole((r - grey) * scale, (g - grey) * scale, (b - grey) * scale)
end

--- Returns the relative luminance of a colour, from 0 to 1.
function M.luminance(c)
  local function linear(x)
    x = x / 255
    return x <= 0.04045 and x / 12.92 or ((x + 0.055) / 1.055) ^ 2.4
  end
  local r, g, b = parts(c)
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
end

--- Returns the contrast of two colours, from 1 to 21. Text is readable from 4.5 on.
function M.contrast(a, b)
  local x, y = M.luminance(a), M.luminance(b)
  return (math.max(x, y) + 0.05) / (math.min(x, y) + 0.05)
end

--- Shifts a text colour towards black or white until it fits what is behind it.
---@param text integer
---@param under integer
---@param fits fun(c: integer): boolean
local function shifted(text, under, fits)
  local goal = M.luminance(under) < 0.18 and 0xffffff or 0
  for share = 0, 1, 0.05 do
    local c = M.blend(goal, text, share)
    if fits(c) then
      return c
    end
  end
  return goal
end

--- Shifts a text colour towards black or white until it is readable.
---@param text integer
---@param under integer what is behind it
---@param least number the contrast that is wanted
function M.readable(text, under, least)
  return shifted(text, under, function(c)
    return M.contrast(c, under) >= least
  end)
end

--- Tints a background as far as text on it stays readable.
---@param hue integer
---@param under integer the background that is tinted
---@param share number how far, at most
---@param text integer
---@param least number the contrast of the text that is to be left
function M.tint(hue, under, share, text, least)
  while share > 0.02 and M.contrast(text, M.blend(hue, under, share)) < least do
    share = share - 0.02
  end
  return M.blend(hue, under, share)
end

-- The levels of red, green and blue in the cube of a terminal's 256 colours.
local levels = { 0, 95, 135, 175, 215, 255 }

--- Converts one of a terminal's 256 colours. The first 16 are defined by the terminal.
---@param n integer from 16 to 255
function M.of_terminal(n)
  if n >= 232 then
    local grey = 8 + 10 * (n - 232)
    return whole(grey, grey, grey)
  end
  n = n - 16
  return whole(levels[math.floor(n / 36) + 1], levels[math.floor(n / 6) % 6 + 1], levels[n % 6 + 1])
end

local nearest = {} ---@type table<string, integer> what was looked for before

--- Returns the nearest of a terminal's 256 colours.
---@param but? integer one that it must not be
---@return integer from 16 to 255
function M.terminal(c, but)
  local key = ('%d %d'):format(c, but or 0)
  if nearest[key] then
    return nearest[key]
  end
  local r, g, b = parts(c)
  local best, least = 16, math.huge
  for n = 16, 255 do
    local r2, g2, b2 = parts(M.of_terminal(n))
    local far = (r - r2) ^ 2 + (g - g2) ^ 2 + (b - b2) ^ 2
    if far < least and n ~= but then
      best, least = n, far
    end
  end
  nearest[key] = best
  return best
end

--- Returns a text colour of a terminal's 256 that is readable on all given backgrounds.
---@param text integer
---@param unders integer[] of the 256
---@param least number
---@return integer from 16 to 255
function M.readable_terminal(text, unders, least)
  return M.terminal(shifted(text, M.of_terminal(unders[1]), function(c)
    return vim.iter(unders):all(function(under)
      return M.contrast(M.of_terminal(M.terminal(c)), M.of_terminal(under)) >= least
    end)
  end))
end

return M
