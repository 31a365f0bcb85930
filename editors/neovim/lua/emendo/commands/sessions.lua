-- Commands for sessions: resume, delete, rename and export them, set their mode and model,
-- add a folder to the workspace, and trust a folder.
local act = require('emendo.session.act')
local answer = require('emendo.commands.answer')
local client = require('emendo.server.client')
local events = require('emendo.events')
local menu = require('emendo.menu')
local messages = require('emendo.messages')
local panel = require('emendo.panel')
local plural = require('emendo.text.plural')
local project = require('emendo.server.project')
local session = require('emendo.session')
local time = require('emendo.text.time')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')
local workspace = require('emendo.server.workspace')

local M = {}

-- The maximum number of stored sessions that are listed.
local most = 100

--- Returns how long ago a time was, in words.
---@param stamp? string RFC 3339 in UTC
local function ago(stamp)
  local gone = stamp and time.since(stamp) or 0
  for _, unit in ipairs({ { 86400, 'day' }, { 3600, 'hour' }, { 60, 'minute' } }) do
    local n = math.floor(gone / unit[1])
    if n > 0 then
      return plural(n, unit[2]) .. ' ago'
    end
  end
  return 'just now'
end

--- Calls done with this folder's stored sessions, newest first. Does not call it after
--- an error, or if there are none, which the user is told.
---@param done fun(sessions: table[])
function M.list(done)
  client.ensure(function(err)
    if err then
      return
    end
    client.ask('emendo/session/list', { cwd = client.server.root, limit = most }, function(result)
      if #result.sessions == 0 then
        return messages.info(words.no_sessions)
      end
      done(result.sessions)
    end)
  end)
end

--- Returns the ids of the stored sessions that this Neovim knows, for completion.
function M.known()
  local ids = vim.tbl_filter(function(id)
    return session.all[id].stored
  end, vim.tbl_keys(session.all))
  table.sort(ids)
  return ids
end

--- Asks the user to choose a stored session.
---@param done fun(chosen: table)
local function offer(prompt, done)
  M.list(function(list)
    local function line(s)
      local note = s.note and s.note.text .. ', ' or ''
      return visible.row(s.label.text, ('  (%s%s)'):format(note, ago(s.updatedAt)))
    end
    menu(list, { kind = 'session', prompt = prompt, line = line }, done)
  end)
end

--- Resumes a stored session that the user chooses.
function M.select()
  offer(words.resume, function(chosen)
    M.resume(chosen.sessionId)
  end)
end

--- Deletes a stored session that the user chooses. The server asks first.
function M.delete()
  offer(words.delete, function(chosen)
    answer.expect('delete_session', function(option)
      if option and option.id == 'delete' then
        local s = session.all[chosen.sessionId]
        session.all[chosen.sessionId] = nil
        if s and s == session.current then
          session.show(nil)
        end
      end
    end)
    act.run({ view = window.view, id = chosen.sessionId }, { id = 'delete' })
  end)
end

--- Returns the session that is shown, if the server knows it. Otherwise tells the user.
local function shown()
  local s = session.current
  if s and not s.stale and s.stored then
    return s
  end
  messages.info(words.no_session)
end

--- Renames the session that is shown.
---@param title? string asked for if it is missing
function M.rename(title)
  local s = shown()
  if not s then
    return
  end
  local function set(text)
    client.ask('emendo/session/rename', { sessionId = s.id, title = text }, function(result)
      session.register(result.session)
      events.fire('Status')
      messages.info(words.renamed:format(visible.line(s.title or text)))
    end)
  end
  if title then
    return set(title)
  end
  vim.ui.input({ prompt = words.title, default = s.title or '' }, function(text)
    if text and vim.trim(text) ~= '' then
      set(vim.trim(text))
    end
  end)
end

--- Shows the session as Markdown in a buffer that can be written to a file.
function M.export()
  local s = shown()
  if not s then
    return
  end
  client.ask('emendo/session/export', { sessionId = s.id, format = 'markdown' }, function(result)
    require('emendo.review.preview').show(('emendo://export/%s.md'):format(s.id), result.text, 'markdown')
  end)
end

--- Resumes a session, by default this folder's newest, and shows it.
---@param id? string
function M.resume(id)
  if id then
    panel.show()
    return session.load(id)
  end
  M.list(function(list)
    M.resume(list[1].sessionId)
  end)
end

--- Sets the mode or model of the session that is shown, and of the next new session.
---@param what 'mode'|'model'
local function set(what, id)
  session.wanted[what] = id
  local s = session.current
  if not s or s.stale then
    return messages.info(words.next_session:format(what, id))
  end
  local method = what == 'mode' and 'emendo/session/setMode' or 'emendo/session/setModel'
  client.request(method, { sessionId = s.id, [what] = id }, function(err, result)
    if err then
      session.wanted[what] = nil
      return messages.error(client.error_text(err))
    end
    session.register(result.session)
    messages.info(('%s: %s'):format(what, s.info[what]))
    events.fire('Status')
  end)
end

--- Sets the mode or the model, or asks the user to choose one.
---@param what 'mode'|'model'
---@param id? string
function M.choose(what, id)
  local function offer_all(list)
    local now = session.current and session.current.info[what] or session.wanted[what]
    local function line(item)
      local about = item.note and item.note.text or item.description
      local mark = item.id and item.id == now and ' (now)' or ''
      return visible.line((item.label and item.label.text or item.name) .. mark .. (about and ': ' .. about or ''))
    end
    menu(list, { kind = what, prompt = words.choose[what], line = line }, function(item)
      if item.id then
        return set(what, item.id)
      end
      vim.ui.input({ prompt = words.model }, function(name)
        if name and name ~= '' then
          set(what, name)
        end
      end)
    end)
  end
  client.ensure(function(err)
    if err then
      return
    elseif id then
      return set(what, id)
    elseif what == 'mode' then
      return offer_all(client.server.features.modes or {})
    end
    client.request('emendo/models/list', vim.empty_dict(), function(failed, result)
      local list, rest = {}, {}
      for _, m in ipairs(failed and client.server.features.models or result and result.models or {}) do
        table.insert(m.available == false and rest or list, m)
      end
      offer_all(vim.list_extend(vim.list_extend(list, rest), { { name = words.another } }))
    end)
  end)
end

--- Adds a folder to the workspace, by default the project of the file in front.
---@param path? string
function M.add_folder(path)
  path = path and project.typed(path) or workspace.current_project()
  if not path then
    return messages.warn(words.no_project)
  end
  path = vim.startswith(path, '/') and path or vim.fs.joinpath(vim.fn.getcwd(), path)
  path = path:gsub('(.)/+$', '%1')
  local added = workspace.add(path)
  if added or vim.fn.isdirectory(path) == 1 then
    messages.info((added and words.added or words.has_folder):format(vim.fn.fnamemodify(path, ':~')))
  end
end

--- Asks the user to trust the workspace folder of the file in front, showing what it would
--- start and configure, and trusts it.
---@param opts? {confirm?: boolean} confirm: false asks only about what it would start
function M.trust(opts)
  client.ensure(function(err)
    if err then
      return
    end
    local root = workspace.current_folder() or client.server.root
    local ask = not opts or opts.confirm ~= false
    answer.expect(ask and 'trust' or nil)
    local arguments = { { uri = vim.uri_from_fname(root), ask = ask } }
    client.ask('workspace/executeCommand', { command = 'emendo.trust', arguments = arguments }, function(result)
      messages.info((result.trusted and words.trusted or words.restricted):format(root))
    end)
  end)
end

return M
