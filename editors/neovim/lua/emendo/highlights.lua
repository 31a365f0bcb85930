-- Highlight groups. Most are derived from the user's colour scheme: its background with
-- a tint, and its text colours, adjusted until they are readable there. The others are
-- links. A group that the user has defined is not changed.
local colour = require('emendo.colour')
local events = require('emendo.events')

local M = {}

local links = {
  EmendoSign = 'Special', -- the sign beside a hunk
  EmendoApplied = 'DiagnosticOk', -- the sign beside a change that was applied without asking
  EmendoSelection = 'Visual', -- lines that go with the next question
}

-- Groups with a text colour of the scheme, adjusted until it is readable.
local texts = {
  EmendoConflict = 'DiagnosticWarn', -- a conflicted hunk
  EmendoTool = 'Function', -- the name of a tool
  EmendoToolRunning = 'DiagnosticInfo', -- the state of a call
  EmendoToolWaiting = 'DiagnosticWarn',
  EmendoToolDone = 'DiagnosticOk',
  EmendoToolFailed = 'DiagnosticError',
  EmendoLink = 'Directory', -- the lines a question is about
  EmendoInfo = 'DiagnosticInfo', -- notices
  EmendoWarning = 'DiagnosticWarn',
  EmendoError = 'DiagnosticError',
}

-- The minimum contrast of text on our backgrounds, and of marks beside it.
local text_contrast, mark_contrast = 4.5, 3

--- Returns a group of the scheme, with links resolved.
local function group(name)
  return vim.api.nvim_get_hl(0, { name = name, link = false })
end

--- Returns the text colour of a group.
---@param names string[] the first that has one
---@param otherwise integer
local function ink(names, otherwise)
  for _, name in ipairs(names) do
    local g = group(name)
    local c = g.reverse and g.bg or g.fg
    if c then
      return c
    end
  end
  return otherwise
end

--- Returns the colours of text and background. If the scheme leaves one to the terminal,
--- it is guessed from 'background'.
local function normal()
  local g, dark = group('Normal'), vim.o.background == 'dark'
  local fg, bg = g.fg or (dark and 0xd0d0d0 or 0x202020), g.bg or (dark and 0x141414 or 0xffffff)
  if g.reverse then
    fg, bg = bg, fg
  end
  return fg, bg
end

--- Returns the groups that are derived from the current colours of the scheme.
---@return table<string, table> as for nvim_set_hl
local function made()
  local fg, bg = normal()
  local base = colour.terminal(bg)
  local grounds = { base } -- the backgrounds of text without its own, in 256 colours
  local groups = {}
  local function define(name, spec)
    -- even a faint tint must differ from the background in 256 colours
    spec.ctermbg = spec.bg and colour.terminal(spec.bg, spec.bg ~= bg and base or nil)
    if spec.fg then
      local unders = spec.ctermbg and { spec.ctermbg } or grounds
      local least = colour.contrast(spec.fg, spec.bg or bg) < text_contrast - 0.1 and mark_contrast or text_contrast
      spec.ctermfg = colour.readable_terminal(spec.fg, unders, least)
    end
    groups[name] = spec
  end
  local function tint(hue, share)
    return colour.tint(hue, bg, share, fg, math.min(text_contrast, colour.contrast(fg, bg)))
  end
  local function on(under, c, least)
    return colour.readable(c, under, least or text_contrast)
  end

  local leaf, rust = 0x3fa050, 0xd04050
  local green, red = ink({ 'Added', 'DiagnosticOk' }, leaf), ink({ 'Removed', 'DiagnosticError' }, rust)
  local grass, blood = colour.vivid(green, leaf), colour.vivid(red, rust)
  local accent, warm = ink({ 'Directory', 'Function' }, fg), ink({ 'DiagnosticWarn', 'WarningMsg' }, fg)
  local dim = ink({ 'Comment' }, colour.blend(fg, bg, 0.6))
  local comment = group('Comment')

  -- hunks in code
  local added, removed = tint(grass, 0.2), tint(blood, 0.22)
  define('EmendoAdd', { bg = added })
  define('EmendoAddText', { bg = tint(grass, 0.45) })
  define('EmendoDelete', { bg = removed })
  define('EmendoDeleteText', { bg = tint(blood, 0.5) })
  grounds = { groups.EmendoDelete.ctermbg, groups.EmendoAdd.ctermbg }
  define('EmendoHint', { fg = on(removed, on(added, dim)), italic = true })
  grounds = { base }
  define('EmendoSignAdd', { fg = on(bg, green, mark_contrast) })
  define('EmendoSignDelete', { fg = on(bg, red, mark_contrast) })

  -- who speaks
  local user, asks = tint(colour.vivid(accent, accent), 0.14), tint(colour.vivid(warm, warm), 0.1)
  define('EmendoUser', { bg = user })
  define('EmendoAsk', { bg = asks })
  grounds = { base, groups.EmendoUser.ctermbg, groups.EmendoAsk.ctermbg }
  define('EmendoUserHeading', { fg = on(user, accent), bold = true })
  define('EmendoUserBar', { fg = on(user, accent, mark_contrast), bg = user })
  define('EmendoHeading', { fg = on(bg, green), bold = true })
  define('EmendoBar', { fg = colour.blend(green, bg, 0.55) })
  define('EmendoAskBar', { fg = on(asks, warm, mark_contrast), bg = asks })
  define('EmendoQuestion', { fg = on(asks, warm), bold = true })
  define('EmendoOption', { fg = on(asks, fg) })
  define('EmendoKey', { fg = on(asks, on(bg, accent)), bold = true })

  -- code in answers
  local code = tint(fg, 0.07)
  define('EmendoCode', { bg = code })
  define('EmendoCodeInline', { fg = on(code, accent), bg = code })
  define('EmendoCodeLabel', { fg = on(code, dim), bg = code, italic = true })

  -- the lines above the panel and the prompt
  local bar = tint(fg, 0.12)
  local chip = tint(colour.vivid(accent, accent), 0.36)
  define('EmendoLine', { fg = on(bar, fg), bg = bar })
  define('EmendoLineTitle', { fg = on(bar, fg), bg = bar, bold = true })
  define('EmendoLineDim', { fg = on(bar, dim), bg = bar })
  define('EmendoLineBusy', { fg = on(bar, accent), bg = bar })
  define('EmendoLineHunks', { fg = on(bar, green), bg = bar, bold = true })
  define('EmendoLineWarn', { fg = on(bar, warm), bg = bar, bold = true })
  define('EmendoChip', { fg = on(chip, fg), bg = chip })
  define('EmendoChipOff', { fg = on(bar, dim), bg = bar, strikethrough = true })

  -- details beside the text
  local quiet = { fg = on(user, on(bg, dim)), italic = comment.italic }
  define('EmendoHunk', vim.deepcopy(quiet))
  define('EmendoThought', vim.deepcopy(quiet))
  define('EmendoToolDetail', { fg = quiet.fg })
  define('EmendoToolPending', { fg = quiet.fg })
  for name, from in pairs(texts) do
    define(name, { fg = on(asks, on(user, on(bg, ink({ from }, fg)))) })
  end
  return groups
end

local defined = {} ---@type table<string, table> what each group was last set to here

--- Sets a group unless the user has defined it.
local function set(name, spec)
  local now = vim.api.nvim_get_hl(0, { name = name })
  if next(now) and not vim.deep_equal(now, defined[name]) then
    return
  end
  vim.api.nvim_set_hl(0, name, spec)
  defined[name] = vim.api.nvim_get_hl(0, { name = name })
end

--- Defines the groups. It is called again when the colour scheme changes.
function M.define()
  for name, link in pairs(links) do
    set(name, { link = link })
  end
  for name, spec in pairs(made()) do
    set(name, spec)
  end
end

M.define()
events.after('ColorScheme', M.define)
events.after('OptionSet', M.define, { 'background', 'termguicolors' })

return M
