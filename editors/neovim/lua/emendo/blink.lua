-- A provider for blink.cmp: completes `@` and `/` in the prompt.
local completion = require('emendo.panel.completion')

---@class emendo.Blink
local M = {}
M.__index = M

function M.new()
  return setmetatable({}, M)
end

function M:enabled()
  return vim.bo.filetype == 'emendo-prompt'
end

function M:get_trigger_characters()
  return completion.triggers
end

---@param context {bufnr: integer, cursor: integer[]} row one-based, column in bytes
---@param callback fun(response: table)
---@return fun() cancel
function M:get_completions(context, callback)
  local row, col = context.cursor[1] - 1, context.cursor[2]
  return completion.list(context.bufnr, row, col, 'utf-8', function(list)
    callback({ items = list.items, is_incomplete_forward = true, is_incomplete_backward = true })
  end)
end

return M
