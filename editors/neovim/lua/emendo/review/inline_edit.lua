-- Edits lines by an instruction. The edits become hunks in the buffer; the panel is
-- not opened.
local attachments = require('emendo.session.attachments')
local client = require('emendo.server.client')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local session = require('emendo.session')
local words = require('emendo.words')
local workspace = require('emendo.server.workspace')

local M = {}

---@class emendo.Outcome
---@field stopReason? string none: it failed
---@field proposed boolean edits were proposed

---@class emendo.Change
---@field instruction? string asked for if it is missing
---@field range? integer[] first and last line, one-based; by default the function at the cursor, else the line
---@field buf? integer the buffer of the range, by default the current one
---@field done? fun(err: emendo.Error?, outcome: emendo.Outcome?) when the turn has ended

---@param done? fun(err: emendo.Error?, outcome: emendo.Outcome?)
local function run(buf, first, last, instruction, done)
  local target = attachments.target(buf, first, last)
  target.instruction, target.sessionId = instruction, session.current and not session.current.stale and session.current.id or nil
  client.execute('emendo.edit', target, function(err, outcome)
    if err and not done then
      messages.error(client.error_text(err))
    elseif done then
      done(err, outcome)
    end
  end)
end

--- Edits lines by an instruction.
---@param opts? emendo.Change
function M.change(opts)
  opts = opts or {}
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  if not paths.of_buffer(buf) then
    return messages.warn(words.only_files)
  end
  workspace.add_current_project()
  local function with(first, last)
    if opts.instruction and vim.trim(opts.instruction) ~= '' then
      return run(buf, first, last, vim.trim(opts.instruction), opts.done)
    end
    local lines = first == last and ('line %d'):format(first) or ('lines %d-%d'):format(first, last)
    vim.ui.input({ prompt = words.change:format(lines) }, function(text)
      if text and vim.trim(text) ~= '' and vim.api.nvim_buf_is_loaded(buf) then
        run(buf, first, last, vim.trim(text), opts.done)
      end
    end)
  end
  if opts.range then
    return with(opts.range[1], opts.range[2])
  end
  local row = buf == vim.api.nvim_get_current_buf() and vim.api.nvim_win_get_cursor(0)[1] or 1
  require('emendo.text.enclosing_function').around(buf, row, function(first, last)
    with(first or row, last or row)
  end)
end

return M
