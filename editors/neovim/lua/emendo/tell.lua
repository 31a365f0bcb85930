-- Messages to the user: always one line that fits the screen, so that none
-- waits for a key and swallows what is being typed.
local config = require('emendo.config')

local M = {}

--- Shows a line. Neovim's own vim.notify would make an error of it, after which the
--- next redraw sleeps for a second.
---@param text string
---@param level integer
local function show(text, level)
  local source = debug.getinfo(vim.notify, 'S').source
  local own = vim.startswith(source, '@vim/') or vim.endswith(source, '?') -- Neovim 0.12 knows no more
  if own and level == vim.log.levels.ERROR then
    return vim.api.nvim_echo({ { text, 'ErrorMsg' } }, true, {})
  end
  vim.notify(text, level)
end

---@param text string
---@param level integer
---@param tail? string is shown in any case
local function say(text, level, tail)
  tail = tail or ''
  text = 'emendo: ' .. vim.trim(text:gsub('%s+', ' '))
  local room = math.max(20, vim.o.columns - 12 - #tail)
  if vim.fn.strdisplaywidth(text) > room then
    text = vim.fn.strcharpart(text, 0, room - 1) .. '…'
  end
  vim.cmd.redraw() -- behind the lines of a menu that was just answered it would not fit
  show(text .. tail, level)
end

--- Says what came of the user's own command.
---@param text string
function M.info(text)
  say(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  say(text, vim.log.levels.ERROR)
end

--- Says something that the user has not asked for; the option notify switches
--- it off.
---@param text string
---@param level? integer
---@param tail? string is shown in any case
function M.hint(text, level, tail)
  if config.options.notify then
    say(text, level or vim.log.levels.INFO, tail)
  end
end

return M
