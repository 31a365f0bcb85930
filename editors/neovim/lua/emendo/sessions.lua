-- Choosing: a stored session, a mode, a model, trust.
local client = require('emendo.client')
local events = require('emendo.events')
local session = require('emendo.session')
local status = require('emendo.status')
local tell = require('emendo.tell')
local visible = require('emendo.visible')

local M = {}

-- So many stored sessions are offered.
local most = 100

--- How long ago a time was, in words.
---@param stamp string RFC 3339 in UTC
---@return string
local function ago(stamp)
  local y, mo, d, h, mi, s = (stamp or ''):match('(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not y then
    return ''
  end
  local now = os.time()
  local utc = os.time(os.date('!*t', now) --[[@as osdateparam]])
  local at = os.time({ year = y, month = mo, day = d, hour = h, min = mi, sec = s, isdst = false })
  local gone = math.max(0, utc - at)
  for _, unit in ipairs({ { 86400, 'day' }, { 3600, 'hour' }, { 60, 'minute' } }) do
    local n = math.floor(gone / unit[1])
    if n > 0 then
      return ('%d %s%s ago'):format(n, unit[2], n == 1 and '' or 's')
    end
  end
  return 'just now'
end

--- Calls back with this folder's stored sessions, the newest first.
---@param done fun(sessions: table[])
function M.list(done)
  client.ensure(function(err)
    if err then
      return
    end
    client.request('emendo/session/list', { cwd = client.server.root, limit = most }, function(failed, result)
      if failed then
        return tell.error(failed.message)
      end
      done(result.sessions)
    end)
  end)
end

--- Offers the stored sessions; the chosen one is resumed.
function M.select()
  M.list(function(list)
    if #list == 0 then
      return tell.info('no session is stored for this folder')
    end
    vim.ui.select(list, {
      prompt = 'emendo: resume which session?',
      kind = 'emendo.session',
      format_item = function(s)
        local title = s.title ~= '' and visible.line(s.title) or '(no title)'
        local stands = status.word(session.all[s.sessionId]) or ('%d turn%s'):format(s.turns, s.turns == 1 and '' or 's')
        return ('%s  (%s, %s)'):format(title, stands, ago(s.updatedAt))
      end,
    }, function(chosen)
      if chosen then
        M.resume(chosen.sessionId)
      end
    end)
  end)
end

--- Resumes a session, by default this folder's newest, and shows it.
---@param id? string
function M.resume(id)
  if id then
    require('emendo.panel').show()
    return session.load(id)
  end
  M.list(function(list)
    if list[1] then
      M.resume(list[1].sessionId)
    else
      tell.info('no session is stored for this folder')
    end
  end)
end

--- Sets something of the session that is shown, or of the one to come.
---@param what 'mode'|'model'
---@param id string
local function set(what, id)
  session.wanted[what] = id
  local s = session.current
  if not s or s.stale then
    return tell.info(('the next session has the %s %s'):format(what, id))
  end
  local method = what == 'mode' and 'emendo/session/setMode' or 'emendo/session/setModel'
  client.request(method, { sessionId = s.id, [what] = id }, function(err, result)
    if err then
      session.wanted[what] = nil
      return tell.error(err.message)
    end
    s.info = vim.tbl_extend('force', s.info, result.session)
    tell.info(('%s: %s'):format(what, s.info[what]))
    events.fire('Status')
  end)
end

--- Sets the mode or the model, or offers what there is.
---@param what 'mode'|'model'
---@param id? string
function M.choose(what, id)
  if id then
    return client.ensure(function(err)
      if not err then
        set(what, id)
      end
    end)
  end
  client.ensure(function(err)
    if err then
      return
    end
    local list = vim.list_extend({}, client.server.features[what .. 's'] or {})
    if what == 'model' then
      table.insert(list, { name = 'Another…' })
    end
    local now = session.current and session.current.info[what] or session.wanted[what]
    vim.ui.select(list, {
      prompt = 'emendo: which ' .. what .. '?',
      kind = 'emendo.' .. what,
      format_item = function(item)
        return item.name .. (item.id and item.id == now and ' (now)' or '') .. (item.description and ': ' .. item.description or '')
      end,
    }, function(item)
      if item and item.id then
        set(what, item.id)
      elseif item then
        vim.ui.input({ prompt = 'Model: ' }, function(name)
          if name and name ~= '' then
            set(what, name)
          end
        end)
      end
    end)
  end)
end

--- Trusts the server's folder once the user has said so, who is shown what it
--- would start and configure.
---@param opts? {confirm?: boolean} confirm: false asks only about what it would start
function M.trust(opts)
  client.ensure(function(err)
    if err then
      return
    end
    local questions, root = require('emendo.questions'), client.server.root
    local ask = not opts or opts.confirm ~= false
    questions.wanted = ask
    client.execute('emendo.trust', { uri = vim.uri_from_fname(root), ask = ask }, function(failed, result)
      questions.wanted = false
      if failed then
        tell.error(failed.message)
      else
        tell.info((result.trusted and 'trusted now: ' or 'restricted as before: ') .. root)
      end
    end)
  end)
end

return M
