-- User autocommands: EmendoStatus, EmendoTurn, EmendoHunks, EmendoQuestion,
-- EmendoSession, EmendoServer, EmendoQueue. Each says that something of require('emendo').state()
-- is another than before; their data holds what it is about. Status lines are
-- redrawn with each.
local M = {}

---@param name 'Status'|'Turn'|'Hunks'|'Question'|'Session'|'Server'|'Queue'
---@param data? table
function M.fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'Emendo' .. name, modeline = false, data = data })
  vim.cmd.redrawstatus({ bang = true })
end

return M
