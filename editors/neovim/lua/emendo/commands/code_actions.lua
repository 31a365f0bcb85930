-- Commands of the server that ask the model. Menus of code actions run them, such as that of
-- vim.lsp.buf.code_action(). The panel shows the answer.
local client = require('emendo.server.client')
local layout = require('emendo.windows.layout')
local session = require('emendo.session')

local M = {}

--- Asks in the session that is shown.
---@param command {command: string, arguments?: table[]}
---@param done? fun(err: emendo.Error?, result: table?) when the turn has ended
function M.run(command, done)
  session.ensure(function(s, failed)
    if not s then
      return done and done(failed) -- the user was told why
    end
    local arguments = vim.deepcopy(command.arguments or {})
    arguments[1] = vim.tbl_extend('force', arguments[1] or {}, { sessionId = s.id })
    layout.follow()
    client.request('workspace/executeCommand', { command = command.command, arguments = arguments }, function(err, result)
      if err then
        session.show_error(s.view, err)
        return done and done(err)
      elseif done then
        session.when_ended(s, result.turnId, done)
      end
    end)
  end)
end

--- How Neovim runs them.
---@type table<string, fun(command: table)>
M.commands = {}
for _, name in ipairs({ 'ask', 'explain', 'fix', 'edit', 'test', 'document', 'review' }) do
  M.commands['emendo.' .. name] = function(command)
    require('emendo.panel').show()
    M.run(command)
  end
end

return M
