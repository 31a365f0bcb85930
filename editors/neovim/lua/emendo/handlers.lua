-- What follows from the start and the end of the server, and from each of its messages. The
-- modules that talk to the server know nothing of those that act on what it says.
local actions = require('emendo.commands.actions')
local buffers = require('emendo.server.buffers')
local comments = require('emendo.review.comments')
local context = require('emendo.server.context')
local editor = require('emendo.server.editor')
local events = require('emendo.events')
local jump = require('emendo.windows.jump')
local session = require('emendo.session')
local terminal = require('emendo.commands.terminal')
local window = require('emendo.session.window')
local workspace = require('emendo.server.workspace')

-- They follow what happens.
events.on('menu', actions.here)
require('emendo.commands.steps')
require('emendo.panel.banner')
require('emendo.panel.notices')
require('emendo.review.drawing')
require('emendo.review.tasks')

--- What messages call with their params. The result of a request answers it.
local handlers = vim.tbl_map(function(f)
  return function(_, params, ctx)
    return f(params, ctx)
  end
end, {
  ['emendo/view/didChange'] = function(params)
    return (params.sessionId and session.on_view or window.on_change)(params)
  end,
  ['emendo/comment/didChange'] = comments.on_change,
  ['emendo/session/update'] = function(params) -- only of terminals
    terminal.on_update(params.update)
  end,
  ['emendo/sessions/didChange'] = session.on_info,
  ['emendo/editor/save'] = editor.save,
  ['emendo/editor/diagnostics'] = editor.diagnostics,
  ['workspace/applyEdit'] = editor.apply,
  ['window/showDocument'] = jump.show_document,
})

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
