-- The handlers of the server's messages.

--- Returns a handler that calls a function of a module, which is loaded with its first
--- message. Its result answers a request.
---@param module string below emendo
---@param name string
local function to(module, name)
  return function(_, params, ctx)
    return require('emendo.' .. module)[name](params, ctx)
  end
end

return {
  ['emendo/session/update'] = to('session', 'on_update'),
  ['emendo/session/requestPermission'] = to('session.questions', 'on_permission'),
  ['emendo/session/elicit'] = to('session.questions', 'on_elicit'),
  ['emendo/changes/didChange'] = to('review.changes', 'on_change'),
  ['emendo/models/didChange'] = function() end, -- the list is requested when it is shown
  ['emendo/status'] = to('session', 'on_status'),
  ['emendo/editor/save'] = to('server.editor', 'save'),
  ['emendo/editor/diagnostics'] = to('server.editor', 'diagnostics'),
  ['workspace/applyEdit'] = to('server.editor', 'apply'),
  ['window/showMessage'] = to('session', 'on_message'),
  ['window/showMessageRequest'] = to('session.questions', 'on_message'),
  ['window/showDocument'] = to('server.editor', 'show_document'),
  ['$/cancelRequest'] = to('session.questions', 'on_cancel'),
}
