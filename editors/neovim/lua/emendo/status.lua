-- The state of emendo: a few words for status lines, one line for :Emendo status, and all
-- of it for programs.
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local questions = require('emendo.session.questions')
local session = require('emendo.session')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

--- Returns a short phrase for a status line, or an empty string if no server is running.
function M.line()
  local status = client.server.client and window.view.status
  local short = status and status.title.short
  return client.server.client and 'emendo' .. (short and short ~= '' and ': ' .. visible.line(short) or '') or ''
end

--- Returns the line of :Emendo status. It fits into 80 columns unless the folder's name is
--- long.
function M.report()
  local server, s, status = client.server, session.current, window.view.status
  if not server.client or not status then
    return words.stopped
  end
  local texts = { visible.line(status.title.short and status.title.short ~= '' and status.title.short or status.title.text) }
  for _, line in ipairs(s and s.view.status and s.view.status.lines or {}) do
    if line.id == 'mode' or line.id == 'model' or line.id == 'sandbox' then
      texts[#texts + 1] = visible.line(line.text.short or line.text.text)
    end
  end
  local line = table.concat(texts, '; ') .. '; '
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
---@field status table? the status item of the window, as the server says it
---@field session table? {id, title, mode, model, cwd, usage, status}: its status as the server says it
---@field turn {running: boolean, id: string?, stop: string?, error: table?}
---@field view {version: integer, items: integer} what the server has told of the session: its version, and how many items
---@field pending integer how many hunks wait
---@field hunks table[] {id, change_set, session, state, path, row, label, rows, buffer}: those that wait for the user by file and row, row zero-based; rows as the server says them, of files that are open
---@field questions table[] {id, code, session, call, text, options}: the oldest first
---@field queue {text: string, how: string}[] the questions that wait for the running turn
---@field paused boolean they wait until they are resumed
---@field linked {buf: integer, first: integer, last: integer}? lines that go with the next question
---@field panel {buffer: integer, prompt: integer, window: integer?, prompt_window: integer?}
---@field buffers integer[] that the server knows

--- Returns the whole observable state as plain values.
function M.state()
  local buffers, drawing, panel, prompt = require('emendo.server.buffers'), require('emendo.review.drawing'), require('emendo.panel'), require('emendo.panel.prompt')
  local server, s = client.server, session.current
  local queued, paused = session.view():queued()
  local hunks = vim.tbl_map(function(h)
    local buf = buffers.of_path(h.path)
    return {
      id = h.id,
      change_set = h.changeSetId,
      session = h.sessionId,
      state = h.state,
      path = h.path,
      row = drawing.row(h, buf),
      label = h.label.text,
      rows = vim.deepcopy(h.rows),
      buffer = buf,
    }
  end, changes.hunks(changes.states))
  return {
    running = server.ready,
    client = server.client and server.client.id,
    pid = server.client and server.pid,
    root = server.root,
    version = server.version,
    restarts = server.restarts,
    status = window.view.status and vim.deepcopy(window.view.status),
    session = s and { id = s.id, title = s.title, mode = s.info.mode, model = s.info.model, cwd = s.info.cwd, usage = s.info.usage, status = s.view.status and vim.deepcopy(s.view.status) },
    turn = { running = s ~= nil and s.running, id = s and s.turn, stop = s and s.stop, error = s and s.error and { message = s.error.message, code = s.error.code, data = s.error.data } },
    view = { version = session.view().version, items = vim.tbl_count(session.view().items) },
    pending = changes.count(),
    hunks = hunks,
    questions = vim.tbl_map(function(q)
      return {
        id = q.id,
        code = q.code,
        session = q.sessionId,
        call = q.itemId,
        text = q.brief.text,
        options = questions.options(q),
      }
    end, questions.open),
    queue = vim.tbl_map(function(item)
      return { text = item.title.text, how = item.look or 'queue' }
    end, queued),
    paused = paused,
    linked = require('emendo.session.attachments').linked(),
    panel = { buffer = panel.buffer(), prompt = prompt.buffer(), window = panel.window(), prompt_window = prompt.window() },
    buffers = vim.tbl_keys(buffers.paths),
  }
end

return M
