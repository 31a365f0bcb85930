-- Messages to the user. Each is one line that fits the screen, so that none causes a
-- hit-enter prompt, which would swallow a typed key. The next key removes a message that
-- arrives while the user types, so it is shown again afterwards.
local config = require('emendo.config')
local events = require('emendo.events')
local visible = require('emendo.text.visible')

local M = {}

--- Reports whether the user's vim.notify is Neovim's own, which writes into the line
--- below the screen.
local function own()
  local source = debug.getinfo(vim.notify, 'S').source
  return vim.startswith(source, '@vim/') or vim.endswith(source, '?') -- all Neovim 0.12 reports
end

--- Shows a line. Neovim's own vim.notify would raise an error message, after which the next
--- redraw sleeps for a second, so it is used for errors only in Insert mode, where the mode
--- name would cover any other message.
local function show(text, level)
  if level == vim.log.levels.ERROR and vim.fn.mode():sub(1, 1) ~= 'i' and own() then
    return vim.api.nvim_echo({ { text, 'ErrorMsg' } }, true, {})
  end
  vim.notify(text, level)
end

--- Returns a text followed by a tail, cut to fit into the message line.
local function cut(text, tail)
  local room = math.max(1, vim.v.echospace - vim.fn.strdisplaywidth(tail))
  return visible.shortened(text, room) .. tail
end

local missed = {} ---@type {text: string, level: integer, unsaid: boolean?}[] what came while the user typed
local groups = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

--- Shows the most severe message that arrived while the user typed, preferably the last one,
--- and how many more there are. Messages that were not shown yet are shown first, so that
--- :messages has all of them.
local function again()
  local list = missed
  missed = {}
  local shown = list[#list]
  for _, message in ipairs(list) do
    if message.unsaid then
      vim.cmd.redraw()
      show(message.text, message.level)
    end
    if message.level > shown.level then
      shown = message
    end
  end
  local more = #list > 1 and (vim.v.echospace < 50 and ' (+%d)' or ' (and %d more: :messages)'):format(#list - 1) or ''
  vim.cmd.redraw()
  vim.api.nvim_echo({ { cut(shown.text, more), groups[shown.level] } }, false, {})
end

events.after('ModeChanged', function()
  if #missed > 0 then
    vim.schedule(function()
      if #missed > 0 and vim.api.nvim_get_mode().mode == 'n' then
        again()
      end
    end)
  end
end, '*:n')

---@param tail? string is shown in any case
---@return string as it is shown
local function say(text, level, tail)
  text = cut('emendo: ' .. vim.trim(text:gsub('%s+', ' ')), tail or '')
  local mode = vim.api.nvim_get_mode().mode
  local later = mode:match('^[cr]') and own() -- would overwrite the command line
  if not later then
    vim.cmd.redraw() -- after the lines of a menu that was just answered it would not fit
    show(text, level)
  end
  if mode == 'n' then -- earlier messages must not cover it
    missed = vim.tbl_filter(function(message)
      return message.unsaid
    end, missed)
  elseif mode:match('^[icrRvVsS\22\19t]') then
    missed[#missed + 1] = { text = text, level = level, unsaid = later }
  end
  return text
end


--- Removes a message of hint that no longer holds from the screen, and does not show it
--- again after the user has typed. It stays in :messages.
---@param text string as hint has returned it
function M.withdraw(text)
  missed = vim.tbl_filter(function(message)
    return message.text ~= text
  end, missed)
  local columns = math.min(vim.fn.strdisplaywidth(text), vim.o.columns)
  for row = vim.o.lines - math.max(vim.o.cmdheight, 1) + 1, vim.o.lines do
    local cells = {}
    for column = 1, columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    if vim.startswith(table.concat(cells), text) then
      return vim.api.nvim_echo({}, false, {})
    end
  end
end

--- Reports the result of the user's own command.
function M.info(text)
  say(text, vim.log.levels.INFO)
end

function M.warn(text)
  say(text, vim.log.levels.WARN)
end

function M.error(text)
  say(text, vim.log.levels.ERROR)
end

--- Reports something that the user did not ask for, unless the option notify is off.
---@param level? integer
---@param tail? string is shown in any case
---@return string? as it is shown
function M.hint(text, level, tail)
  if config.options.notify then
    return say(text, level or vim.log.levels.INFO, tail)
  end
end

return M
