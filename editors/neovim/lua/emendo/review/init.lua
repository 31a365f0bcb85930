-- Review of hunks: has the server decide them, and goes from one to the next across all files.
local act = require('emendo.session.act')
local buffers = require('emendo.server.buffers')
local changes = require('emendo.review.changes')
local drawing = require('emendo.review.drawing')
local file_window = require('emendo.server.file_window')
local jump = require('emendo.windows.jump')
local messages = require('emendo.messages')
local preview = require('emendo.review.preview')
local session = require('emendo.session')
local window = require('emendo.session.window')
local words = require('emendo.words').review

local M = {}

---@type table<string, boolean> hunks whose decision is on its way
local deciding = {}

--- Returns the hunk at the cursor, the one that waits for a decision first. In a preview,
--- returns its hunk.
local function here()
  local buf, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local shown = preview.hunk(buf)
  if shown then
    return changes.known[shown]
  end
  for _, state in ipairs(buffers.paths[buf] and changes.states or {}) do
    for _, h in ipairs(changes.hunks({ state }, buffers.paths[buf])) do
      local first, last = drawing.span(h, buf)
      if first <= row and row <= last then
        return h
      end
    end
  end
end

--- Returns the hunk that an action is about: the one of an id, else the one at the cursor.
--- Warns without one.
---@param id? string
local function target(id)
  local h = id and changes.known[id] or not id and here() or nil
  if not h then
    messages.warn(changes.count() > 0 and words.no_hunk_here or words.no_hunk)
  end
  return h
end

--- Has the server do an action with some hunks, or with what they are in.
---@param id string of the hunk, its file, a session or the window's status
---@param with emendo.Acting
---@param hunks emendo.Hunk[]
---@param done? fun(err: emendo.Error?)
local function decide(id, action, with, hunks, done)
  for _, h in ipairs(hunks) do
    deciding[h.id] = true
  end
  with.values = with.values or {}
  with.done = function(err)
    for _, h in ipairs(hunks) do
      deciding[h.id] = nil
    end
    if done then
      done(err)
    end
  end
  act.run({ view = window.view, id = id }, action, with)
end

---@class emendo.Decide
---@field hunk? string a hunk's id; by default the hunk at the cursor
---@field text? string accepts this text in place of the proposed one
---@field comment? string what the model is told with the decision
---@field done? fun(err: emendo.Error?) when the edits have come back

--- Accepts or rejects a hunk. One that was applied is kept or undone, and a conflicted one tried
--- again or dismissed.
---@param name 'accept'|'reject'
---@param opts? emendo.Decide
function M.decide(name, opts)
  opts = opts or {}
  local h = target(opts.hunk)
  if h and not deciding[h.id] then
    local action = opts.text and 'edit' or drawing.actions[h.state][name]
    local values = opts.comment and { reason = { opts.comment } } or nil
    decide(h.id, { id = action }, { text = opts.text, values = values }, { h }, opts.done)
  end
end

---@class emendo.DecideAll
---@field buf? integer the hunks of this buffer alone
---@field confirm? boolean ask before files are decided that no window shows
---@field done? fun(err: emendo.Error?) when the edits have come back

--- Returns the hunks that are decided together, pending ones or else those that were applied,
--- and the id of what they are in: a file, the session that is shown, or if that has none, the
--- window.
---@param buf? integer
local function together(buf)
  local path = buf and (buffers.paths[buf] or '')
  local list = changes.pending(path)
  list = #list > 0 and list or changes.hunks({ 'unreviewed' }, path)
  if buf then
    return list, list[1] and list[1].fileId or ''
  end
  local of_session = vim.tbl_filter(function(h)
    return session.current ~= nil and h.sessionId == session.current.id
  end, list)
  if #of_session > 0 then
    return of_session, session.current.id
  end
  return list, 'status'
end

--- Reports whether a window shows the file of a hunk, or a preview of it.
local function shown(h)
  local file = buffers.of_path(h.path)
  return vim.iter(vim.api.nvim_list_wins()):any(function(win)
    local buf = vim.api.nvim_win_get_buf(win)
    return buf == file or preview.hunk(buf) == h.id
  end)
end

--- Decides every pending hunk of the session as one group. If none is pending, keeps or undoes
--- all that were applied; the server asks before these are undone.
---@param name 'accept'|'reject'
---@param opts? emendo.DecideAll
function M.all(name, opts)
  opts = opts or {}
  local list, id = together(opts.buf)
  local files, hidden = {}, {}
  for _, h in ipairs(list) do
    files[h.path] = true
    hidden[h.path] = hidden[h.path] or not shown(h) or nil
  end
  if #list == 0 then
    return messages.info(words.none_pending)
  elseif deciding[list[1].id] then
    return
  end
  local action = drawing.actions[list[1].state][name]
  local function go()
    decide(id, { id = opts.buf and action or action .. 'All' }, {}, list, opts.done)
  end
  if not opts.confirm or not next(hidden) or not words.all[action] then
    return go()
  end
  vim.ui.select({ words.all[action]:format(#list), words.look_first }, {
    prompt = words.hidden:format(vim.tbl_count(files), vim.tbl_count(hidden)),
    kind = 'emendo.all',
  }, function(_, choice)
    if choice == 1 then
      go()
    elseif choice == 2 then
      M.list()
    end
  end)
end

--- Lets the user edit the new text of a hunk, and accepts the hunk with that text.
function M.edit()
  local h = target()
  if h then
    act.run({ view = window.view, id = h.id }, { id = 'edit' })
  end
end

--- Shows what waits in all files as one diff.
function M.diff()
  act.run({ view = window.view, id = 'status' }, { id = 'show' })
end

--- Goes to a hunk: in its file, unless that is to be created, deleted or renamed and has no
--- buffer.
function M.go_to(h)
  local buf, look = buffers.of_path(h.path), changes.file(h).look
  if not buf and (vim.list_contains({ 'create', 'delete', 'rename' }, look) or not vim.uv.fs_stat(h.path)) then
    return preview.open(h)
  end
  jump.to(buf or h.path, drawing.row(h, buf) + 1)
  drawing.reveal(h)
end

--- Returns the path and row of the cursor, to compare with hunks. In a preview that is the
--- place of its hunk; in a window without a file, that of the file in front.
local function place()
  local buf = vim.api.nvim_get_current_buf()
  local h = changes.known[preview.hunk(buf) or '']
  if h then
    return h.path, h.range.start.line
  end
  local win = buffers.paths[buf] and 0 or file_window.current()
  if not win then
    return '', -1
  end
  return buffers.paths[vim.api.nvim_win_get_buf(win)] or '', vim.api.nvim_win_get_cursor(win)[1] - 1
end

--- Goes to the next or previous pending hunk, across files and with wraparound. If no hunk
--- is pending, goes to those that were applied and not reviewed.
---@param step 1|-1
function M.go(step)
  local list = changes.pending()
  local what = #list > 0 and words.nth_hunk or words.nth_applied
  list = #list > 0 and list or changes.hunks({ 'unreviewed' })
  if #list == 0 then
    return messages.info(words.none_pending)
  end
  local path, row = place()
  local found = step > 0 and 1 or #list
  for i = #list - found + 1, found, -step do -- the last that fits is the nearest
    local h = list[i]
    local at = h.path == path and drawing.row(h, buffers.of_path(path)) or 0
    local ahead, behind = h.path > path or h.path == path and at > row, h.path < path or h.path == path and at < row
    found = (step > 0 and ahead or step < 0 and behind) and i or found
  end
  M.go_to(list[found])
  messages.info(what:format(found, #list))
end

local kinds = { pending = 'I', conflicted = 'W', unreviewed = 'N' }

--- Puts the hunks of all files into the quickfix list.
---@param opts? {open?: boolean} open: false leaves the window closed
function M.list(opts)
  local items = vim.tbl_map(function(h)
    local buf, texts = buffers.of_path(h.path), { h.label.text }
    for _, mark in ipairs(h.marks or {}) do
      texts[#texts + 1] = mark.text.text
    end
    local row = vim.iter(h.rows or {}):find(function(r)
      return r[1] == '+' and vim.trim(r[2]) ~= ''
    end)
    texts[#texts + 1] = row and row[2]
    return {
      filename = h.path,
      lnum = drawing.row(h, buf) + 1,
      text = table.concat(texts, ' · '):gsub('%s+', ' '),
      type = kinds[h.state],
    }
  end, changes.hunks(changes.states))
  vim.fn.setqflist({}, ' ', { title = 'emendo: hunks', items = items })
  if #items == 0 then
    messages.info(words.none_pending)
  elseif not opts or opts.open ~= false then
    vim.cmd('botright copen')
  end
end

return M
