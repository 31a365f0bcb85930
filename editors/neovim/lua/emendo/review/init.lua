-- Review of hunks: accepts, rejects and edits them, and goes from one to the next across
-- all files.
local buffers = require('emendo.server.buffers')
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local drawing = require('emendo.review.drawing')
local file_window = require('emendo.server.file_window')
local jump = require('emendo.windows.jump')
local messages = require('emendo.messages')
local plural = require('emendo.text.plural')
local preview = require('emendo.review.preview')
local session = require('emendo.session')

local M = {}

---@type table<string, boolean> hunks whose decision is on its way
local deciding = {}

--- Sends decisions as one group, which is one undo step in each file.
---@param decisions table[]
---@param done? fun(err: emendo.Error?, result: table?)
local function resolve(decisions, done, comment)
  for _, d in ipairs(decisions) do
    deciding[d.hunkId] = true
    changes.decide(d.hunkId)
  end
  client.request('emendo/changes/resolve', { decisions = decisions, comment = comment }, function(err, result)
    for _, d in ipairs(decisions) do
      deciding[d.hunkId] = nil
    end
    if err then
      messages.error(err.message)
    elseif #(result.conflicts or {}) > 0 then
      messages.warn(('%d not applied: %s'):format(#result.conflicts, result.conflicts[1].reason))
    end
    if done then
      done(err, result)
    end
  end)
end

--- Returns the first and last row that a hunk covers in its buffer, zero-based. A hunk
--- without lines there, such as an insertion, covers the rows before and after its place.
local function span(h, buf)
  local row = drawing.row(h, buf)
  local lines = #drawing.lines(h.state == 'accepted' and h.hunk.newText or h.hunk.oldText)
  if lines == 0 then
    return math.max(0, row - 1), row
  end
  return row, row + lines - 1
end

--- Returns the hunk at the cursor that is in one of the states. In a preview, returns its
--- hunk in any state.
---@param states string[]
---@return emendo.Hunk?
local function here(states)
  local buf, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local shown = preview.hunk(buf)
  local list = shown and { changes.find(shown) } or buffers.paths[buf] and changes.hunks(states, buffers.paths[buf]) or {}
  for _, h in ipairs(list) do
    if shown then
      return h
    end
    local first, last = span(h, buf)
    if first <= row and row <= last then
      return h
    end
  end
end

--- Returns the hunk that a decision is about: the one in opts, else the one at the cursor.
--- Warns if the cursor is not in a hunk.
local function target(opts, states)
  local h
  if opts and opts.hunk then
    h = changes.find(opts.hunk)
  else
    h = here(states)
  end
  if not h then
    messages.warn(changes.count() > 0 and 'there is no hunk here; :Emendo next goes to one' or 'there is no hunk here')
  end
  return h
end

local function decision(h, action, text)
  return { changeSetId = h.set.changeSetId, uri = h.file.uri, hunkId = h.id, action = action, text = text }
end

---@class emendo.Decide
---@field hunk? string a hunk's id; by default the hunk at the cursor
---@field text? string accepts this text in place of the proposed one
---@field comment? string what the model is told with the decision
---@field done? fun(err: emendo.Error?, result: table?) when the edits have come back

--- Accepts a hunk.
---@param opts? emendo.Decide
function M.accept(opts)
  opts = opts or {}
  local h = target(opts, { 'pending' })
  if h and not deciding[h.id] then
    resolve({ decision(h, 'accept', opts.text) }, opts.done, opts.comment)
    preview.close(h.id)
  end
end

--- Rejects a hunk. Undoes an accepted hunk; hides a conflicted one.
---@param opts? emendo.Decide
function M.reject(opts)
  opts = opts or {}
  local h = target(opts, { 'pending', 'conflicted', 'accepted' })
  if not h or deciding[h.id] then
    return
  end
  if h.state == 'conflicted' then
    return changes.dismiss(h)
  end
  resolve({ decision(h, 'reject') }, opts.done, opts.comment)
  preview.close(h.id)
end

---@class emendo.DecideAll
---@field buf? integer the hunks of this buffer alone
---@field confirm? boolean ask before files are decided that no window shows
---@field done? fun(err: emendo.Error?, result: table?) when the edits have come back

--- Returns the pending hunks of the session that is shown, of edits beside it and of no
--- session; all pending hunks if no session is shown. Omits hunks whose decision is on its
--- way.
local function pending(opts)
  local current = session.current
  return vim.tbl_filter(function(h)
    local s = session.all[h.set.sessionId]
    return not deciding[h.id] and (not current or not h.set.sessionId or h.set.sessionId == current.id or not s)
  end, changes.pending(opts.buf and buffers.paths[opts.buf]))
end

--- Reports whether a window shows the file of a hunk, or a preview of it.
local function shown(h)
  local buf = buffers.of_path(h.path)
  if buf and #vim.fn.win_findbuf(buf) > 0 then
    return true
  end
  return vim.iter(vim.api.nvim_list_wins()):any(function(win)
    return preview.hunk(vim.api.nvim_win_get_buf(win)) == h.id
  end)
end

--- Returns the number of files that hunks are in, and the number of those in which some hunk
--- is not shown in any window.
local function files_of(hunks)
  local files, hidden = {}, {}
  for _, h in ipairs(hunks) do
    files[h.path] = true
    hidden[h.path] = hidden[h.path] or not shown(h) or nil
  end
  return vim.tbl_count(files), vim.tbl_count(hidden)
end

--- Decides every pending hunk of the session as one group, and reports how many.
---@param action 'accept'|'reject'
---@param opts? emendo.DecideAll
function M.all(action, opts)
  opts = opts or {}
  local list = pending(opts)
  if #list == 0 then
    return messages.info('no hunk is pending')
  end
  local files, hidden = files_of(list)
  local what = ('%s in %s'):format(plural(#list, 'hunk'), plural(files, 'file'))
  local function decide()
    local decisions = vim.tbl_map(function(h)
      return decision(h, action)
    end, list)
    resolve(decisions, function(err, result)
      if not err then
        messages.info(('%sed %s'):format(action, what))
      end
      if opts.done then
        opts.done(err, result)
      end
    end)
    for _, h in ipairs(list) do
      preview.close(h.id)
    end
  end
  if not opts.confirm or hidden == 0 then
    return decide()
  end
  local verb = action:gsub('^%l', string.upper)
  vim.ui.select({ ('%s %s'):format(verb, what), 'Look at them first' }, {
    prompt = ('emendo: %s, of which %d not in any window'):format(what, hidden),
    kind = 'emendo.all',
  }, function(_, choice)
    if choice == 1 then
      list = vim.tbl_filter(function(h)
        return h.state == 'pending'
      end, list)
      decide()
    elseif choice == 2 then
      M.list()
    end
  end)
end

--- Lets the user edit the new text of a hunk, and accepts the hunk with that text.
function M.edit()
  local h = target(nil, { 'pending' })
  if h then
    preview.edit(h, function(text)
      M.accept({ hunk = h.id, text = text })
    end)
  end
end

--- Reports whether a hunk can be drawn in a buffer of its file.
local function in_file(h)
  return h.file.op == 'modify' or buffers.of_path(h.path) ~= nil
end

---@param h emendo.Hunk
local function go(h)
  if not in_file(h) then
    return preview.open(h)
  end
  local buf = buffers.of_path(h.path)
  jump.to(buf or h.path, (buf and drawing.row(h, buf) or h.row) + 1)
  drawing.reveal(h)
end

M.go_to = go

--- Returns the path and row of the cursor, to compare with hunks. In a preview that is the
--- place of its hunk; in a window without a file, that of the file in front.
local function place()
  local buf = vim.api.nvim_get_current_buf()
  local shown = preview.hunk(buf)
  local h = shown and changes.find(shown)
  if h then
    return h.path, h.row
  end
  if buffers.paths[buf] then
    return buffers.paths[buf], vim.api.nvim_win_get_cursor(0)[1] - 1
  end
  local win = file_window.current()
  if not win then
    return '', -1
  end
  return buffers.paths[vim.api.nvim_win_get_buf(win)] or '', vim.api.nvim_win_get_cursor(win)[1] - 1
end

--- Goes to the next or previous pending hunk, across files and with wraparound. If no hunk
--- is pending, goes to those that were applied without asking.
---@param step 1|-1
function M.go(step)
  local list, what = changes.pending(), 'hunk'
  if #list == 0 then
    list, what = changes.hunks({ 'applied' }), 'applied hunk'
  end
  if #list == 0 then
    return messages.info('no hunk is pending')
  end
  local path, row = place()
  local function row_of(h)
    local buf = buffers.of_path(h.path)
    return buf and drawing.row(h, buf) or h.row
  end
  local found
  for i = step > 0 and 1 or #list, step > 0 and #list or 1, step do
    local h = list[i]
    local ahead = step > 0 and (h.path > path or h.path == path and row_of(h) > row)
    local behind = step < 0 and (h.path < path or h.path == path and row_of(h) < row)
    if ahead or behind then
      found = i
      break
    end
  end
  found = found or (step > 0 and 1 or #list)
  go(list[found])
  messages.info(('%s %d of %d'):format(what, found, #list))
end

local kinds = { pending = 'I', conflicted = 'W' }

--- Puts the pending and conflicted hunks of all files into the quickfix list.
---@param opts? {open?: boolean} open: false leaves the window closed
function M.list(opts)
  local items = {}
  for _, h in ipairs(changes.hunks({ 'pending', 'conflicted' })) do
    local buf = buffers.of_path(h.path)
    local old, new = #drawing.lines(h.hunk.oldText), #drawing.lines(h.hunk.newText)
    local text = h.state == 'conflicted' and 'does not fit any more: ' .. (h.hunk.reason or '') or ('%s -%d +%d  %s'):format(h.file.op, old, new, h.set.title or '')
    local verification = drawing.verification(h.file)
    if h.state == 'pending' and verification ~= '' then
      text = ('%s (%s)'):format(text, verification)
    end
    items[#items + 1] = {
      filename = h.path,
      lnum = (buf and drawing.row(h, buf) or h.row) + 1,
      text = text:gsub('%s+', ' '),
      type = kinds[h.state],
    }
  end
  vim.fn.setqflist({}, ' ', { title = 'emendo: hunks', items = items })
  if #items == 0 then
    messages.info('no hunk is pending')
  elseif not opts or opts.open ~= false then
    vim.cmd('botright copen')
  end
end

return M
