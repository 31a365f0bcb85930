-- What follows from the start and the end of the server, and from each of its messages. The
-- modules that talk to the server know nothing of those that act on what it says.
local buffers = require('emendo.server.buffers')
local context = require('emendo.server.context')
local editor = require('emendo.server.editor')
local events = require('emendo.events')
local session = require('emendo.session')
local window = require('emendo.session.window')
local workspace = require('emendo.server.workspace')

-- They follow what happens.
events.on('menu', function()
  require('emendo.commands.actions').here()
end)
require('emendo.commands.steps')
require('emendo.panel.banner')
require('emendo.panel.notices')
require('emendo.review.drawing')
require('emendo.review.tasks')

--- Returns a handler that calls a function with the params of a message. Its result answers
--- a request.
---@param f fun(params: table, ctx: table): any
local function with_params(f)
  return function(_, params, ctx)
    return f(params, ctx)
  end
end

local handlers = {
  ['emendo/view/didChange'] = with_params(function(params)
    return (params.sessionId and session.on_view or window.on_change)(params)
  end),
  ['emendo/comment/didChange'] = with_params(function(params)
    require('emendo.review.comments').on_change(params)
  end),
  ['emendo/session/update'] = with_params(function(params) -- only of terminals
    require('emendo.commands.terminal').on_update(params.update)
  end),
  ['emendo/models/didChange'] = function() end, -- the list is requested when it is shown
  ['emendo/sessions/didChange'] = with_params(session.on_info),
  ['emendo/editor/save'] = with_params(editor.save),
  ['emendo/editor/diagnostics'] = with_params(editor.diagnostics),
  ['workspace/applyEdit'] = with_params(editor.apply),
  ['window/showDocument'] = with_params(function(params)
    return require('emendo.windows.jump').show_document(params)
  end),
}

events.on('starting', function(config)
  config.handlers = handlers
  config.commands = require('emendo.commands.code_actions').commands
  config.workspace_folders = workspace.folders(config.root_dir)
end)
events.on('failed', session.server_failed)
events.on('Server', function(server)
  if server.running then
    buffers.all()
    context.flush()
    window.open()
    session.server_ready()
  else
    buffers.paths = {}
    window.clear()
    session.server_ended()
  end
end)
