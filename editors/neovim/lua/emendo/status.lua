-- The state of emendo: a few words for status lines, one line for :Emendo status, and all
-- of it for programs.
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local plural = require('emendo.text.plural')
local questions = require('emendo.session.questions')
local sandbox = require('emendo.session.sandbox')
local session = require('emendo.session')

local M = {}

--- Returns a short phrase for a status line, or an empty string if no server is running.
---@return string
function M.line()
  local s = client.server
  if not s.client then
    return ''
  end
  local words = {}
  if #questions.open > 0 then
    words[#words + 1] = 'asks'
  elseif session.current and session.current.running then
    words[#words + 1] = 'works'
  elseif not s.ready then
    words[#words + 1] = 'starts'
  end
  local pending = changes.count()
  if pending > 0 then
    words[#words + 1] = plural(pending, 'hunk')
  end
  local kind = s.status and s.status.kind
  if kind == 'restricted' or kind == 'error' then
    words[#words + 1] = kind
  elseif kind == 'signed_out' then
    words[#words + 1] = 'no key'
  end
  return 'emendo' .. (#words > 0 and ': ' .. table.concat(words, ', ') or '')
end

--- Returns the line of :Emendo status. It fits into 80 columns unless the folder's name is
--- long.
---@return string
function M.report()
  local server, s = client.server, session.current
  if not server.client then
    return 'does not run'
  end
  local words = { (M.line():gsub('^emendo:? ?', '')) }
  if words[1] == '' then
    words[1] = 'ready'
  end
  if s then
    words[#words + 1] = ('%s, %s'):format(s.info.mode or '?', s.info.model or '?')
  end
  if server.status and server.status.sandbox then
    words[#words + 1] = sandbox.short(server.status.sandbox)
  end
  local line = table.concat(words, '; ') .. '; '
  local folder = vim.fn.fnamemodify(server.root, ':~')
  if vim.fn.strdisplaywidth('emendo: ' .. line .. folder) > vim.v.echospace then
    folder = vim.fn.pathshorten(folder)
  end
  return line .. folder
end

---@class emendo.State what tests and other plugins may look at; a plain copy
---@field running boolean the server runs and has answered initialize
---@field client integer? the id of its vim.lsp client
---@field pid integer? of the server's process
---@field root string? the folder it works in
---@field version string? the server's
---@field restarts integer after it died, in a row
---@field status table? the last emendo/status
---@field session table? {id, title, mode, model, cwd, usage, context}
---@field turn {running: boolean, id: string?, stop: string?, error: table?}
---@field updates integer how many updates of the session were seen
---@field seq integer the number of the last
---@field pending integer how many hunks wait
---@field hunks table[] {id, change_set, state, op, path, row, old, new, edited, reason, buffer}: pending and conflicted ones by file and row, row zero-based
---@field questions table[] {kind, session, call, text, options}: the oldest first
---@field queue {text: string, how: string}[] the questions that wait for the running turn
---@field paused boolean they wait until they are resumed
---@field linked {buf: integer, first: integer, last: integer}? lines that go with the next question
---@field panel {buffer: integer, prompt: integer, window: integer?, prompt_window: integer?}
---@field buffers integer[] that the server knows

--- Returns the whole observable state as plain values.
---@return emendo.State
function M.state()
  local buffers, drawing, panel, prompt = require('emendo.server.buffers'), require('emendo.review.drawing'), require('emendo.panel'), require('emendo.panel.prompt')
  local server, s = client.server, session.current
  local queued, paused = require('emendo.session.queue').items()
  local hunks = vim.tbl_map(function(h)
    local buf = buffers.of_path(h.path)
    return {
      id = h.id,
      change_set = h.set.changeSetId,
      state = h.state,
      op = h.file.op,
      path = h.path,
      row = buf and drawing.row(h, buf) or h.row,
      old = h.hunk.oldText,
      new = h.hunk.newText,
      edited = h.hunk.edited,
      reason = h.hunk.reason,
      buffer = buf,
    }
  end, changes.hunks({ 'pending', 'conflicted' }))
  return {
    running = server.ready,
    client = server.client and server.client.id,
    pid = server.client and server.pid,
    root = server.root,
    version = server.version,
    restarts = server.restarts,
    status = server.status and vim.deepcopy(server.status),
    session = s and { id = s.id, title = s.title, mode = s.info.mode, model = s.info.model, cwd = s.info.cwd, usage = s.usage, context = s.context },
    turn = { running = s ~= nil and s.running, id = s and s.turn, stop = s and s.stop, error = s and s.error and { message = s.error.message, code = s.error.code, data = s.error.data } },
    updates = s and s.updates or 0,
    seq = s and s.seq or 0,
    pending = changes.count(),
    hunks = hunks,
    questions = vim.tbl_map(function(q)
      return {
        kind = q.kind,
        session = q.session,
        call = q.call,
        text = q.text,
        options = questions.options(q),
      }
    end, questions.open),
    queue = vim.tbl_map(function(item)
      return { text = require('emendo.session.queue').text(item), how = item.how }
    end, queued),
    paused = paused,
    linked = require('emendo.session.attachments').linked(),
    panel = { buffer = panel.buffer(), prompt = prompt.buffer(), window = panel.window(), prompt_window = prompt.window() },
    buffers = vim.tbl_keys(buffers.paths),
  }
end

return M
