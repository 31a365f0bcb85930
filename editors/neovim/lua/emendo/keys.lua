-- Key mappings. A global key is mapped only if it neither replaces nor delays a mapping
-- of the user. The keys in the panel and the prompt are buffer-local.
local config = require('emendo.config')
local words = require('emendo.words')

local M = {}

-- The modes of global keys, and those of keys in the prompt that are not in Insert mode too.
local modes = { toggle = { 'n' }, ask = { 'n', 'x' }, change = { 'n', 'x' }, accept = { 'n' }, reject = { 'n' }, next = { 'n' }, prev = { 'n' }, accept_all = { 'n' }, reject_all = { 'n' } }
local normal = { send_normal = true, cancel = true }

local mapped = {} ---@type {name: string, mode: string, lhs: string}[]

--- Returns the keys of a mapping as the user presses them: <leader> is the user's leader.
function M.shown(lhs)
  local leader = vim.g.mapleader
  leader = vim.fn.keytrans((leader == nil or leader == '') and '\\' or leader)
  return (lhs:gsub('<[lL]eader>', function()
    return leader
  end))
end

--- Returns keys as Neovim has them.
local function raw(lhs)
  return vim.api.nvim_replace_termcodes(M.shown(lhs), true, true, true)
end

--- Returns a mapping of the user that a key would replace or delay: one of the same keys,
--- or of a prefix.
local function taken(lhs, mode)
  local ours = raw(lhs)
  for _, map in ipairs(vim.list_extend(vim.api.nvim_get_keymap(mode), vim.api.nvim_buf_get_keymap(0, mode))) do
    local theirs = map.lhsraw or raw(map.lhs)
    if vim.startswith(ours, theirs) and theirs ~= raw('<Leader>') and map.rhs ~= '<Nop>' and map.rhs ~= '' then
      return map.lhs
    end
  end
end

--- Reports whether a mapping is still ours: the user may have replaced it.
local function ours(m)
  return vim.startswith(vim.fn.maparg(m.lhs, m.mode, false, true).desc or '', 'emendo: ')
end


--- Ends Visual mode and returns the first and last line of the selection, one-based.
local function visual_lines()
  local from, to = vim.fn.line('v'), vim.fn.line('.')
  vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  return { math.min(from, to), math.max(from, to) }
end

--- Runs an action from its keys in a mode.
local function run(api, name, mode)
  if mode == 'x' then
    api[name]({ range = visual_lines() })
  elseif name == 'accept_all' or name == 'reject_all' then
    api[name]({ confirm = true })
  else
    api[name]()
  end
end

--- Maps the global keys, replacing earlier mappings of the plugin.
local function map_global(api)
  for _, m in ipairs(vim.tbl_filter(ours, mapped)) do
    vim.keymap.del(m.mode, m.lhs)
  end
  mapped = {}
  local left = {} ---@type table<string, string> mappings of the user's that are kept, by what our keys would do
  for name, in_modes in pairs(modes) do
    for _, lhs in ipairs(config.keys(name)) do
      for _, mode in ipairs(in_modes) do
        left[name] = left[name] or taken(lhs, mode)
      end
    end
  end
  for name, in_modes in pairs(modes) do
    for _, lhs in ipairs(left[name] and {} or config.keys(name)) do
      for _, mode in ipairs(in_modes) do
        vim.keymap.set(mode, lhs, function()
          run(api, name, mode)
        end, { desc = 'emendo: ' .. words.does[name] })
        mapped[#mapped + 1] = { name = name, mode = mode, lhs = lhs }
      end
    end
  end
end

---@alias emendo.Do fun()|{[1]: fun(value), [2]: any} what a key does: a function, or one with a value

---@class emendo.KeyedBuffer
---@field where 'panel'|'prompt'
---@field actions table<string, emendo.Do>
---@field mapped {mode: string, lhs: string}[]
local buffers = {} ---@type table<integer, emendo.KeyedBuffer>

local function map_buffer(buf)
  local b = buffers[buf]
  for _, m in ipairs(b.mapped) do
    pcall(vim.keymap.del, m.mode, m.lhs, { buffer = buf })
  end
  b.mapped = {}
  for name, action in pairs(b.actions) do
    local f, value = unpack(type(action) == 'table' and action or { action })
    for _, lhs in ipairs(config.keys_in(b.where, name)) do
      for _, mode in ipairs((b.where == 'panel' or normal[name]) and { 'n' } or { 'n', 'i' }) do
        vim.keymap.set(mode, lhs, function()
          f(value)
        end, { buffer = buf, nowait = true, desc = 'emendo: ' .. words.does[b.where][name] })
        table.insert(b.mapped, { mode = mode, lhs = lhs })
      end
    end
  end
end

--- Maps the keys of the panel or the prompt in their buffer. They are mapped again when
--- the options change.
---@param where 'panel'|'prompt'
---@param list table<string, emendo.Do> by the names of the options
function M.local_to(buf, where, list)
  buffers[buf] = { where = where, actions = list, mapped = {} }
  map_buffer(buf)
end

--- Maps all keys according to the options.
---@param api table whose functions are the actions of the global keys
function M.map(api)
  map_global(api)
  for buf in pairs(buffers) do
    if vim.api.nvim_buf_is_valid(buf) then
      map_buffer(buf)
    end
  end
  if vim.v.vim_did_enter == 0 then -- respect what the user maps later in init.lua
    vim.api.nvim_create_autocmd('VimEnter', {
      group = vim.api.nvim_create_augroup('emendo.keys', {}),
      once = true,
      callback = function()
        M.map(api)
      end,
    })
  end
end

--- Returns the key of a global action, if it is mapped.
function M.lhs(name)
  for _, m in ipairs(mapped) do
    if m.name == name and ours(m) then
      return m.lhs
    end
  end
end

--- Returns the keys of a global action as the user presses them, or its command if they are
--- not mapped.
function M.of(name)
  local lhs = M.lhs(name)
  return lhs and M.shown(lhs) or ':Emendo ' .. name
end

--- Returns the first key of an action in the panel or the prompt, or nil.
---@param where 'panel'|'prompt'
function M.inside(where, name)
  local lhs = config.keys_in(where, name)[1]
  return lhs and M.shown(lhs)
end

return M
