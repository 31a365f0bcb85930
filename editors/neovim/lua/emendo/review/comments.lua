-- Comments on lines: they are written here, kept and followed by the server, shown below their
-- lines, and sent as one prompt.
local client = require('emendo.server.client')
local events = require('emendo.events')
local messages = require('emendo.messages')
local position = require('emendo.server.position')
local session = require('emendo.session')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.comments')
local lists = {} ---@type table<string, table[]> the comments of sessions that are open, by id

--- Returns the comments of the session that is shown which wait.
local function waiting()
  return vim.tbl_filter(function(comment)
    return comment.round == nil
  end, session.current and lists[session.current.id] or {})
end

--- Returns the first and the last row of a comment's lines.
local function rows(comment)
  local from, to = comment.range.start, comment.range['end']
  return from.line, math.max(from.line, to.character == 0 and to.line - 1 or to.line)
end

local function draw(buf)
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local uri = vim.uri_from_bufnr(buf)
  for _, comment in ipairs(waiting()) do
    if comment.uri == uri then
      local first, last = rows(comment)
      local lines = vim.tbl_map(function(line)
        return { { '▎ ' .. visible.row(line), comment.stale and 'EmendoConflict' or 'EmendoUser' } }
      end, vim.split(comment.text, '\n'))
      local count = vim.api.nvim_buf_line_count(buf)
      vim.api.nvim_buf_set_extmark(buf, ns, math.min(last, count - 1), 0, { virt_lines = lines })
      vim.api.nvim_buf_set_extmark(buf, ns, math.min(first, count - 1), 0, { sign_text = '▎', sign_hl_group = 'EmendoLink' })
    end
  end
end

--- Draws the comments of the session that is shown.
function M.draw()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' then
      draw(buf)
    end
  end
end

--- Handles emendo/comment/didChange.
function M.on_change(params)
  lists[params.sessionId] = params.comments
  local s = session.all[params.sessionId]
  if s and #params.comments > 0 then
    s.stored = true
  end
  M.draw()
end

--- Comments on lines of the buffer in front, or changes the comment there: without a text it is
--- asked for, and an empty one removes the comment.
---@param opts? {text?: string, range?: integer[]} the range: first and last line, one-based
function M.comment(opts)
  opts = opts or {}
  local buf, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  local first, last = unpack(opts.range or { line, line })
  local uri = vim.uri_from_bufnr(buf)
  local known = not opts.range and vim.iter(waiting()):find(function(comment)
    local from, to = rows(comment)
    return comment.uri == uri and from <= line - 1 and line - 1 <= to
  end)
  local ask
  --- Sends what was written. If that is not possible it is asked for once more, and nothing is lost.
  local function write(text)
    local function done(err)
      if err then
        messages.error(client.error_text(err))
        ask(text)
      end
    end
    if not known and text == '' then
      return
    end
    session.ensure(function(s, err)
      if not s then
        return done(err)
      elseif known then
        return client.request(text == '' and 'emendo/comment/remove' or 'emendo/comment/edit', { id = known.id, text = text }, done)
      end
      local bottom = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1] or ''
      local range = { start = { line = first - 1, character = 0 }, ['end'] = position.lsp(buf, last - 1, #bottom) }
      client.request('emendo/comment/add', { sessionId = s.id, uri = uri, range = range, text = text }, done)
    end)
  end
  function ask(text)
    vim.ui.input({ prompt = words.comment, default = text }, function(written)
      if written then
        write(written)
      end
    end)
  end
  if opts.text then
    write(opts.text)
  else
    ask(known and known.text or nil)
  end
end

--- Sends the comments that wait, and a text below them.
---@param text? string
function M.send(text)
  if not session.current then
    return messages.info(words.no_comments)
  end
  client.ask('emendo/comment/send', { sessionId = session.current.id, text = text })
end

--- Has the changes reviewed that are not committed.
function M.review()
  session.ensure(function(s)
    client.ask('workspace/executeCommand', { command = 'emendo.reviewChanges', arguments = { { of = 'uncommitted', sessionId = s and s.id } } })
  end)
end

events.on('Session', M.draw)
events.after('BufWinEnter', function(args)
  draw(args.buf)
end)

return M
