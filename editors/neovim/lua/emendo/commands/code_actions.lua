-- Commands of the server that ask the model. Menus of code actions run them, such as that of
-- vim.lsp.buf.code_action(). The panel shows the answer.
local client = require('emendo.server.client')
local layout = require('emendo.windows.layout')
local session = require('emendo.session')

local M = {}

--- Asks in the session that is shown, and opens the panel.
---@param command {command: string, arguments?: table[]}
local function run(command)
  session.ensure(function(s)
    if not s then
      return -- the user was told why
    end
    local arguments = vim.deepcopy(command.arguments or {})
    arguments[1] = vim.tbl_extend('force', arguments[1] or {}, { sessionId = s.id })
    require('emendo.panel').show()
    layout.follow()
    client.request('workspace/executeCommand', { command = command.command, arguments = arguments }, function(failed)
      if failed then
        session.show_error(s.transcript, failed)
      end
    end)
  end)
end

--- How Neovim runs them.
---@type table<string, fun(command: table)>
M.commands = {}
for _, name in ipairs({ 'ask', 'explain', 'fix', 'edit', 'test', 'document', 'review' }) do
  M.commands['emendo.' .. name] = run
end

return M
