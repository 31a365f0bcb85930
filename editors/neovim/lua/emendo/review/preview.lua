-- Scratch buffers: previews of hunks that create, delete or rename a file, which has no
-- buffer to draw in; editors for the new text of a hunk or another text; and diffs.
local drawing = require('emendo.review.drawing')
local jump = require('emendo.windows.jump')
local layout = require('emendo.windows.layout')
local visible = require('emendo.text.visible')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.preview')

--- Returns the id of the hunk that a buffer previews.
---@param buf integer
---@return string?
function M.hunk(buf)
  return vim.b[buf].emendo_hunk
end

--- Returns the buffer that has exactly this name, or nil.
---@param name string
---@return integer?
local function named(name)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf) == name then
      return buf
    end
  end
end

--- Creates a scratch buffer with a name and the filetype of a path. Deletes any buffer that
--- has that name.
local function scratch(name, path, lines)
  local old = named(name)
  if old then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].filetype = vim.filetype.match({ filename = path, buf = buf }) or ''
  return buf
end

local titles = { create = 'emendo would create %s', delete = 'emendo would delete %s', rename = 'emendo would rename %s to %s' }

--- Returns the buffer name for the preview of a hunk. It ends with the file's name, since
--- status lines show the end of a name.
---@param id string
---@param path string
---@return string
local function name_of(id, path)
  return ('emendo://hunk/%s/%s'):format(id, vim.fs.basename(path))
end

--- Returns the buffer that previews a hunk, if there is one.
---@param id string
---@return integer?
local function of(id)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if M.hunk(buf) == id then
      return buf
    end
  end
end

--- Returns the 'winbar' of a preview: its title, and the keys if there is room for them.
---@return string
function M.winbar()
  local win = vim.g.statusline_winid or 0
  local of_buffer = vim.b[vim.api.nvim_win_get_buf(win)]
  local title, keys = of_buffer.emendo_title or '', of_buffer.emendo_keys or ''
  local room = vim.api.nvim_win_get_width(win) - 2
  local function long()
    return vim.fn.strdisplaywidth(title .. keys) + 1 > room
  end
  if long() then
    local brief = title:gsub('^emendo would ', '')
    title = vim.fn.strdisplaywidth(brief .. keys) + 1 > room and title or brief
  end
  if long() then
    title, keys = visible.shortened(title, room), ''
  end
  return '%#EmendoHunk# ' .. title:gsub('%%', '%%%%') .. '%= ' .. keys:gsub('%%', '%%%%') .. '%*'
end

--- Opens a preview of what a hunk does to a file that has no buffer.
---@param h emendo.Hunk
function M.open(h)
  local new = h.file.op == 'create'
  local buf = scratch(name_of(h.id, h.path), h.path, vim.tbl_map(visible.text, drawing.lines(new and h.hunk.newText or h.hunk.oldText)))
  vim.b[buf].emendo_hunk = h.id
  vim.bo[buf].modifiable = false
  local short = vim.fn.fnamemodify(h.path, ':~:.')
  local to = h.file.newUri and vim.fn.fnamemodify(vim.uri_to_fname(h.file.newUri), ':~:.') or ''
  local title = visible.line((titles[h.file.op] or titles.create):format(short, to))
  if h.file.op ~= 'rename' then
    vim.api.nvim_buf_set_extmark(buf, ns, 0, 0, {
      end_row = vim.api.nvim_buf_line_count(buf),
      strict = false,
      hl_group = new and 'EmendoAdd' or 'EmendoDelete',
      hl_eol = true,
      priority = 90,
    })
  end
  vim.api.nvim_set_current_win(layout.window_for_file())
  jump.show(buf)
  local keys = h.state == 'pending' and drawing.hint(h, { 'accept', 'reject' }) or ''
  vim.b[buf].emendo_title, vim.b[buf].emendo_keys = title, keys
  vim.wo[0][0].winbar = "%{%v:lua.require'emendo.review.preview'.winbar()%}" -- covers no text
end

--- Closes the preview of a decided hunk. Its windows show their alternate buffer again.
---@param id string
function M.close(id)
  local buf = of(id)
  if not buf then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      local other = vim.fn.bufnr('#')
      if other > 0 and vim.api.nvim_buf_is_loaded(other) then
        vim.api.nvim_win_set_buf(win, other)
      else
        vim.cmd.enew()
      end
    end)
  end
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

--- Opens a text in a split below, to be edited. Writing it calls done with its lines and
--- deletes its buffer. Text of that name that is being edited already is shown instead, as
--- the user has left it.
---@param name string of the buffer
---@param path string whose filetype the text has
---@param lines string[]
---@param says string what writing does, above them
---@param done fun(lines: string[])
local function edit(name, path, lines, says, done)
  local open = named(name)
  local shown = open and vim.bo[open].modified and vim.fn.win_findbuf(open)[1]
  if shown then
    return vim.api.nvim_set_current_win(shown)
  end
  local buf = scratch(name, path, lines)
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].modified = false
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      local edited = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
      vim.bo[buf].modified = false
      done(edited)
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(buf) then
          vim.api.nvim_buf_delete(buf, { force = true })
        end
      end)
    end,
  })
  local height = math.min(15, vim.api.nvim_buf_line_count(buf) + 2)
  local win = vim.api.nvim_open_win(buf, true, { split = 'below', win = layout.window_for_file(), height = height })
  vim.wo[win][0].winbar = '%#EmendoHunk# ' .. says .. '%*'
end

--- Opens the new text of a hunk in a split. Writing it accepts the hunk with the text as
--- edited.
---@param h emendo.Hunk
---@param accept fun(text: string)
function M.edit(h, accept)
  edit('emendo://edit/' .. h.id, h.path, drawing.lines(h.hunk.newText), ':w accepts this text, :q leaves the hunk as it is', function(lines)
    local empty = #lines == 1 and lines[1] == ''
    local ending = h.hunk.newText:match('\r?\n$') or (h.hunk.newText == '' and '\n' or '')
    accept(empty and '' or table.concat(lines, ending:match('\r\n') or '\n') .. ending)
  end)
end

--- Opens a text in a split. Writing it calls done with the text as edited.
---@param name string
---@param text string
---@param says string what writing does
---@param done fun(text: string)
function M.text(name, text, says, done)
  edit(name, 'question.md', vim.split(text, '\n', { plain = true }), says, function(lines)
    done(table.concat(lines, '\n'))
  end)
end

--- Shows a generated text in a window for files.
---@param name string
---@param text string
---@param filetype string
function M.show(name, text, filetype)
  local buf = scratch(name, 'emendo.' .. filetype, vim.split(text, '\n', { plain = true }))
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].buflisted = true
  vim.bo[buf].filetype = filetype
  vim.bo[buf].modified = false
  layout.close_float()
  vim.api.nvim_set_current_win(layout.window_for_file())
  jump.show(buf)
end

--- Shows the diff of every file that some hunks are in.
---@param hunks emendo.Hunk[]
function M.diff(hunks)
  local lines, seen = {}, {}
  for _, h in ipairs(hunks) do
    if not seen[h.file] then
      seen[h.file] = true
      vim.list_extend(lines, vim.tbl_map(visible.text, drawing.lines(h.file.diff or '')))
    end
  end
  M.show_diff(lines)
end

--- Shows the lines of diffs beside the file in front.
---@param lines string[]
function M.show_diff(lines)
  local buf = scratch('emendo://diff', 'emendo.diff', lines)
  vim.bo[buf].filetype = 'diff'
  vim.bo[buf].modifiable = false
  vim.api.nvim_set_current_win(layout.window_for_file())
  vim.api.nvim_open_win(buf, true, { split = 'right', win = 0 })
end

return M
