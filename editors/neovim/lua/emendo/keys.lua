-- The global keys. Each is mapped only while no mapping of the user's has it, or
-- would have to wait for it.
local config = require('emendo.config')

local M = {}

---@type table<string, {modes: string[], desc: string}>
local actions = {
  toggle = { modes = { 'n' }, desc = 'open or close the panel' },
  ask = { modes = { 'n', 'x' }, desc = 'ask' },
  accept = { modes = { 'n' }, desc = 'accept the hunk' },
  reject = { modes = { 'n' }, desc = 'reject the hunk' },
  next = { modes = { 'n' }, desc = 'next hunk' },
  prev = { modes = { 'n' }, desc = 'previous hunk' },
  accept_all = { modes = { 'n' }, desc = 'accept all hunks' },
  reject_all = { modes = { 'n' }, desc = 'reject all hunks' },
}

local mapped = {} ---@type {name: string, mode: string, lhs: string}[]
M.left = {} ---@type table<string, string> keys that were left to mappings of the user's, by what they would do

--- A mapping of the user's that a key would take away or keep waiting: of the
--- same keys, or of their beginning.
---@param lhs string
---@param mode string
---@return string? what the user has mapped
local function taken(lhs, mode)
  local function raw(keys)
    return vim.api.nvim_replace_termcodes(keys:gsub('<[lL]eader>', vim.g.mapleader or '\\'), true, true, true)
  end
  local ours = raw(lhs)
  for _, map in ipairs(vim.list_extend(vim.api.nvim_get_keymap(mode), vim.api.nvim_buf_get_keymap(0, mode))) do
    local theirs = map.lhsraw or raw(map.lhs)
    if vim.startswith(ours, theirs) and theirs ~= raw('<Leader>') and map.rhs ~= '<Nop>' and map.rhs ~= '' then
      return map.lhs
    end
  end
end

--- Reports whether a mapping is ours still: the user may have put another in its place.
local function ours(m)
  return vim.startswith(vim.fn.maparg(m.lhs, m.mode, false, true).desc or '', 'emendo: ')
end

local function unmap()
  for _, m in ipairs(vim.tbl_filter(ours, mapped)) do
    vim.keymap.del(m.mode, m.lhs)
  end
  mapped, M.left = {}, {}
end

--- Maps the keys of the options in place of those that were mapped before.
function M.map()
  unmap()
  for name, action in pairs(actions) do
    local lhs = config.key(name)
    for _, mode in ipairs(lhs and action.modes or {}) do
      M.left[name] = M.left[name] or taken(lhs, mode)
    end
  end
  for name, action in pairs(actions) do
    local lhs = config.key(name)
    for _, mode in ipairs(lhs and not M.left[name] and action.modes or {}) do
      vim.keymap.set(mode, lhs, function()
        local emendo = require('emendo')
        if name == 'ask' and mode == 'x' then
          emendo.ask({ range = M.visual_lines() })
        elseif name == 'accept_all' or name == 'reject_all' then
          emendo[name]({ confirm = true })
        else
          emendo[name]()
        end
      end, { desc = 'emendo: ' .. action.desc })
      mapped[#mapped + 1] = { name = name, mode = mode, lhs = lhs }
    end
  end
  if vim.v.vim_did_enter == 0 then -- what the user maps later in the configuration counts as well
    vim.api.nvim_create_autocmd('VimEnter', { group = vim.api.nvim_create_augroup('emendo.keys', {}), once = true, callback = M.map })
  end
end

--- The key that does something, when it is mapped.
---@param name string
---@return string?
function M.lhs(name)
  for _, m in ipairs(mapped) do
    if m.name == name and ours(m) then
      return m.lhs
    end
  end
end

--- The lines of the visual selection, one-based, which ends by this.
---@return integer[]
function M.visual_lines()
  local from, to = vim.fn.line('v'), vim.fn.line('.')
  vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  return { math.min(from, to), math.max(from, to) }
end

return M
