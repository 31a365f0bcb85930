-- :Emendo and its subcommands, one for each function of the API.
local tell = require('emendo.tell')

local M = {}

local function emendo()
  return require('emendo')
end

--- Calls a function of the API with the rest of the command line, when there is any.
local function with_text(name)
  return function(text)
    emendo()[name](text ~= '' and text or nil)
  end
end

local function without(name)
  return function()
    emendo()[name]()
  end
end

---@type table<string, fun(text: string, given: table)>
local run = {
  ask = function(text, given)
    emendo().ask({ prompt = text ~= '' and text or nil, range = given.range > 0 and { given.line1, given.line2 } or nil })
  end,
  status = function()
    tell.info(require('emendo.status').report())
  end,
  health = function()
    vim.cmd('checkhealth emendo')
  end,
  accept_all = function()
    emendo().accept_all({ confirm = true })
  end,
  reject_all = function()
    emendo().reject_all({ confirm = true })
  end,
  reject = function(text)
    emendo().reject({ comment = text ~= '' and text or nil })
  end,
}
for _, name in ipairs({ 'open', 'close', 'toggle', 'send', 'cancel', 'accept', 'edit', 'next', 'prev', 'hunks', 'diff', 'new', 'sessions', 'trust', 'log', 'restart', 'queue', 'rewind', 'fork', 'reopen', 'delete' }) do
  run[name] = without(name)
end
for _, name in ipairs({ 'resume', 'mode', 'model', 'permission', 'steer' }) do
  run[name] = with_text(name)
end

local function ids(list)
  return vim.tbl_map(function(item)
    return item.id
  end, list or {})
end

---@type table<string, fun(): string[]>
local complete = {
  permission = function()
    return require('emendo.questions').options()
  end,
  mode = function()
    return ids(require('emendo.client').server.features.modes)
  end,
  model = function()
    return ids(require('emendo.client').server.features.models)
  end,
}

--- Runs a command line. Without a subcommand it opens the panel; with a range
--- and none, it asks about the range.
---@param given table as nvim_create_user_command gives it
function M.run(given)
  if vim.fn.has('nvim-0.10') ~= 1 then
    return vim.notify('emendo: this Neovim is too old; it takes 0.10 or newer', vim.log.levels.ERROR)
  end
  local name, text = given.args:match('^%s*(%S*)%s*(.-)%s*$')
  if name == '' then
    name = given.range > 0 and 'ask' or 'open'
  end
  if not run[name] then
    return tell.error(('there is no :Emendo %s; there are %s'):format(name, table.concat(M.names(), ', ')))
  end
  run[name](text, given)
end

--- The subcommands, sorted.
---@return string[]
function M.names()
  local names = vim.tbl_keys(run)
  table.sort(names)
  return names
end

--- Completes subcommands and what they take.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local name = line:match('Emendo%s+(%S+)%s')
  local list = M.names()
  if name then
    list = complete[name] and complete[name]() or {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, list)
end

return M
