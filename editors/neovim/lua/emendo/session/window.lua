-- The view of the window: what is of no session, or of all. It has the open questions.
local client = require('emendo.server.client')
local events = require('emendo.events')
local View = require('emendo.session.view')

local M = {}

M.view = View.new()

local open ---@type table? the request that opened it

--- How many hunks come at a time: those of one message are handled without reading keys.
local most_hunks = 100

--- Opens the view, again after something was missed.
function M.open()
  local this = {}
  open = this
  client.request('emendo/view/get', { limit = most_hunks }, function(err, view)
    if err or open ~= this then
      return
    end
    M.view:begin(view)
    this.begun = true
    events.emit('window', nil)
  end)
end

--- Forgets everything, as the server has ended.
function M.clear()
  open = nil
  M.view:begin({ version = 0, items = {} })
  events.emit('window', nil)
end

--- Handles emendo/view/didChange without a session.
function M.on_change(params)
  if not open or not open.begun then
    return
  elseif params.version ~= M.view.version + 1 then
    return M.open()
  end
  M.view.version = params.version
  M.view:apply(params.changes)
  events.emit('window', params.changes)
end

return M
