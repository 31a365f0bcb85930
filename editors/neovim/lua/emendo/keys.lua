-- The global keys. Each is mapped only while nothing else has it.
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

local mapped = {} ---@type {mode: string, lhs: string}[]

--- Maps the keys of the options in place of those that were mapped before.
function M.map()
  for _, m in ipairs(mapped) do
    pcall(vim.keymap.del, m.mode, m.lhs)
  end
  mapped = {}
  for name, action in pairs(actions) do
    local lhs = config.key(name)
    for _, mode in ipairs(lhs and action.modes or {}) do
      if vim.fn.maparg(lhs, mode) == '' then
        vim.keymap.set(mode, lhs, function()
          local emendo = require('emendo')
          if name == 'ask' and mode == 'x' then
            emendo.ask({ range = M.visual_lines() })
          else
            emendo[name]()
          end
        end, { desc = 'emendo: ' .. action.desc })
        mapped[#mapped + 1] = { mode = mode, lhs = lhs }
      end
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
