-- Does actions: of items, and of questions and hunks, whose answers are actions too. It asks
-- for their fields and has the steps done that only an editor can do.
local client = require('emendo.server.client')
local events = require('emendo.events')
local form = require('emendo.session.form')
local messages = require('emendo.messages')

local M = {}

---@class emendo.ActionOf what an action is of
---@field view emendo.View
---@field session? string none: it is in the window's view
---@field id string

---@class emendo.Acting
---@field values? table<string, string[]> of fields
---@field text? string that was edited
---@field blocks? table[] beside it
---@field fields? table[] to ask for, by default the action's
---@field sent? fun(on_its_way: boolean) when it is sent, and when it could not be done
---@field failed? fun(err: emendo.Error) in place of a message
---@field done? fun(err: emendo.Error?) after it is done

local function send(of, action, with)
  local params = { sessionId = of.session, id = of.id, actionId = action.id, version = of.view.version, text = with.text, blocks = with.blocks }
  params.values = with.values and vim.tbl_extend('force', vim.empty_dict(), with.values)
  local sent = with.sent or function() end
  sent(true)
  client.request('emendo/view/act', params, function(err, result)
    if err then
      sent(false)
      local failed = with.failed or function()
        messages.error(client.error_text(err))
      end
      failed(err)
    elseif result.problems and result.problems[1] then
      sent(false)
      local problems, wrong = {}, {}
      for _, problem in ipairs(result.problems) do
        problems[problem.field] = problem.text
      end
      for _, field in ipairs(with.fields or {}) do
        wrong[#wrong + 1] = problems[field.id] and field or nil
      end
      return form.fill(wrong, problems, function(values)
        if values then
          with.values = vim.tbl_extend('force', with.values or {}, values)
          send(of, action, with)
        end
      end)
    else
      events.emit('steps', result.steps or {}, of, action)
    end
    if result and result.notice then
      messages.info(result.notice.title.text)
    end
    if with.done then
      with.done(err)
    end
  end)
end

--- Does an action, after asking for its fields.
---@param of emendo.ActionOf
---@param with? emendo.Acting
function M.run(of, action, with)
  with = with or {}
  with.fields = vim.deepcopy(with.fields or action.fields)
  if action.steps then
    return events.emit('steps', action.steps, of, action)
  elseif with.values or not with.fields then
    return send(of, action, with)
  end
  form.fill(with.fields, {}, function(values)
    if values then
      with.values = values
      send(of, action, with)
    end
  end)
end

return M
