-- The user's options and their defaults.
local words = require('emendo.words')

local M = {}

---@alias emendo.Key string|string[]|false one key, several, or none

---@alias emendo.KeysInside table<string, emendo.Key>|false keys in a buffer of the plugin

---@class emendo.Keys: table<string, emendo.Key> global keys, by the names below; false turns one off
---@field panel? emendo.KeysInside
---@field prompt? emendo.KeysInside

---@class emendo.Panel
---@field position? 'right'|'left'|'float'|'tab'
---@field width? number columns, or below 1 a share of the screen
---@field float? {width?: number, height?: number, border?: string} its size, as shares of the screen below 1
---@field prompt_height? integer lines of the prompt buffer

---@class emendo.Prompt a prompt with a name
---@field prompt string with {selection}, {file}, {filetype}, {diagnostics}
---@field desc? string shown in lists
---@field send? boolean false puts it into the prompt to be completed

---@class emendo.Options
---@field cmd? string[] the server's command line
---@field env? table<string,string> variables for the server besides Neovim's own
---@field trust? 'ask'|'trusted'|'restricted' of the folder; "ask" uses the stored decision
---@field settings? table emendo's own settings, as in settings.json
---@field root_markers? string[] files and folders that mark a project's root
---@field keys? emendo.Keys|false
---@field panel? emendo.Panel
---@field prompts? table<string, string|emendo.Prompt> prompts with a name
---@field history? integer how many prompts are stored for each folder; 0 stores none
---@field start? boolean start the server with Neovim, not when it is first used
---@field hints? boolean show the keys that decide beside a pending hunk
---@field signs? boolean show a sign beside pending hunks
---@field notify? boolean show a message about what happens outside the panel

---@type emendo.Options
M.defaults = {
  cmd = { 'emendo', 'lsp' },
  env = {},
  trust = 'ask',
  settings = {},
  root_markers = { '.git' },
  -- What they do is in words.lua.
  keys = {
    toggle = '<leader>ee',
    ask = '<leader>ea',
    change = '<leader>ec',
    accept = '<leader>ey',
    reject = '<leader>en',
    next = ']e',
    prev = '[e',
    accept_all = '<leader>eY',
    reject_all = '<leader>eN',
    panel = {
      enter = '<CR>',
      actions = 'gm',
      find = 'g/',
      fold = { 'za', '<Tab>' },
      fold_open = 'zo',
      fold_close = 'zc',
      fold_open_all = 'zR',
      fold_close_all = 'zM',
      next_turn = ']]',
      prev_turn = '[[',
      next_code = ']c',
      prev_code = '[c',
      yank = 'gy',
      apply = 'ga',
      open = 'gf',
      outline = 'gO',
      prompt = { 'i', 'a' },
      cancel = '<C-c>',
    },
    prompt = {
      send = '<C-s>',
      send_normal = '<CR>',
      steer = '<M-s>',
      interrupt = '<M-x>',
      older = '<Up>',
      newer = '<Down>',
      paste = '<M-v>',
      context = '<M-c>',
      cancel = '<C-c>',
    },
  },
  panel = { position = 'right', width = 0.4, float = { width = 0.8, height = 0.8, border = 'rounded' }, prompt_height = 5 },
  prompts = {},
  history = 200,
  start = false,
  hints = true,
  signs = true,
  notify = true,
}

---@type emendo.Options
M.options = vim.deepcopy(M.defaults)

--- Warns about unknown names in a table of options.
local function check(given, known, prefix)
  for name, value in pairs(given) do
    local of = known[name]
    if of == nil then
      vim.notify(words.no_option:format(prefix .. tostring(name)), vim.log.levels.WARN)
    elseif type(of) == 'table' and type(value) == 'table' and type(next(of)) == 'string' then
      check(value, of, prefix .. name .. '.')
    end
  end
end

--- Sets the options. Missing ones get their default; a list is replaced, not merged.
---@param given? emendo.Options
function M.set(given)
  given = given or {}
  check(given, M.defaults, '')
  M.options = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), given)
end

---@param key emendo.Key?
local function list(key)
  if not key then
    return {}
  end
  return type(key) == 'table' and key or { key }
end

--- Returns the keys of a global action; empty if they are turned off.
function M.keys(name)
  local keys = M.options.keys
  return list(keys and keys[name])
end

--- Returns the keys of an action in the panel or the prompt. `keys = false` turns off
--- only the global keys.
---@param where 'panel'|'prompt'
function M.keys_in(where, name)
  local keys = M.options.keys or M.defaults.keys
  return list(keys[where] and keys[where][name])
end

return M
