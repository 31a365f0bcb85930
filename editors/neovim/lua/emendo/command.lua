-- :Emendo and its subcommands, one for each function of the API.
local messages = require('emendo.messages')
local words = require('emendo.words')

local M = {}

local function emendo()
  return require('emendo.api')
end

local function range(given)
  return given.range > 0 and { given.line1, given.line2 } or nil
end

--- Returns a text, or nil if it is empty.
local function some(text)
  return text ~= '' and text or nil
end

---@type table<string, fun(text: string, given: table)>
local run = {
  ask = function(text, given)
    if text ~= '' then
      require('emendo.panel.prompt_history').add(text)
    end
    emendo().ask({ prompt = some(text), range = range(given) })
  end,
  change = function(text, given)
    emendo().change({ instruction = some(text), range = range(given) })
  end,
  comment = function(text, given)
    emendo().comment({ text = some(text), range = range(given) })
  end,
  prompt = function(text, given)
    local name, more = text:match('^(%S*)%s*(.*)$')
    emendo().prompt(some(name), { range = range(given), text = some(more) })
  end,
  status = function()
    messages.info(require('emendo.status').report())
  end,
  reject = function(text)
    emendo().reject({ comment = some(text) })
  end,
}
local plain = 'review_changes,open,close,toggle,send,cancel,accept,edit,next,prev,hunks,diff,new,sessions,trust,log,restart,'
  .. 'queue,rewind,fork,reopen,delete,detach,context,export,health'
for name in plain:gmatch('[%a_]+') do
  run[name] = function()
    emendo()[name]()
  end
end
for _, name in ipairs({ 'resume', 'mode', 'model', 'lists', 'send_comments', 'permission', 'steer', 'interrupt', 'rename', 'paste', 'folder', 'terminal' }) do
  run[name] = function(text)
    emendo()[name](some(text))
  end
end
for _, name in ipairs({ 'accept_all', 'reject_all' }) do
  run[name] = function()
    emendo()[name]({ confirm = true })
  end
end

--- Reports whether a subcommand is built in, and no prompt.
function M.is_own(name)
  return run[name] ~= nil
end

--- Returns the function of a subcommand: a built-in one, else the prompt of that name.
---@return fun(text: string, given: table)?
local function find(name)
  if run[name] then
    return run[name]
  elseif require('emendo.commands.prompts').all()[name] then
    return function(text, given)
      emendo().prompt(name, { range = range(given), text = some(text) })
    end
  end
end


---@type table<string, fun(lead: string): string[]>
local complete = {
  prompt = function()
    return require('emendo.commands.prompts').names()
  end,
  lists = function()
    return require('emendo.commands.lists').names()
  end,
  resume = function()
    return require('emendo.commands.sessions').known()
  end,
  permission = function()
    return require('emendo.session.questions').options()
  end,
}
for name, kind in pairs({ paste = 'file', terminal = 'shellcmd', folder = 'dir' }) do
  complete[name] = function(lead)
    return vim.fn.getcompletion(lead, kind)
  end
end
for name, list in pairs({ mode = 'modes', model = 'models' }) do
  complete[name] = function()
    return vim.tbl_map(function(item)
      return item.id
    end, require('emendo.server.client').server.features[list] or {})
  end
end

--- Runs a command line. Without a subcommand it opens the panel, or with a range asks
--- about the range.
---@param given table as nvim_create_user_command gives it
function M.run(given)
  if vim.fn.has('nvim-0.10') ~= 1 then
    return vim.notify(words.old_neovim, vim.log.levels.ERROR)
  end
  local name, text = given.args:match('^%s*(%S*)%s*(.-)%s*$')
  if name == '' then
    name = given.range > 0 and 'ask' or 'open'
  end
  local go = find(name)
  if not go then
    local near = vim.fn.matchfuzzy(M.names(), name)[1]
    return messages.error(words.no_command:format(name, near and words.near:format(near) or words.tab))
  end
  local ok, err = pcall(go, text, given)
  local reason = not ok and tostring(err):match('(E%d+: [^\n]+)')
  if reason then
    messages.error(reason) -- an error of Neovim itself, such as no room for a window
  elseif not ok then
    error(err, 0)
  end
end

--- Returns the names of all subcommands, including prompts, sorted.
function M.names()
  local names = vim.tbl_keys(vim.tbl_extend('keep', {}, run, require('emendo.commands.prompts').all()))
  table.sort(names)
  return names
end

--- Completes subcommands and their arguments.
function M.complete(lead, line)
  local name = line:match('Emendo%s+(%S+)%s')
  local list = M.names()
  if name then
    list = complete[name] and complete[name](lead) or {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, list)
end

return M
