-- User autocommands: EmendoStatus, EmendoTurn, EmendoHunks, EmendoQuestion,
-- EmendoSession, EmendoServer, EmendoQueue. Each reports that a part of
-- require('emendo').state() has changed; its data describes the change. Every event
-- also redraws the status lines.
local M = {}

---@param name 'Status'|'Turn'|'Hunks'|'Question'|'Session'|'Server'|'Queue'
---@param data? table
function M.fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'Emendo' .. name, modeline = false, data = data })
  vim.cmd.redrawstatus({ bang = true })
end

return M
