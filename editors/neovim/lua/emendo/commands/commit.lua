-- Writes a commit message for the staged changes, into the buffer that git has opened
-- for it or in the panel. Nothing is committed.
local client = require('emendo.server.client')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local session = require('emendo.session')

local M = {}

local instruction = 'Write a commit message for these changes: a subject line of at most 72 characters in the imperative, then, '
  .. 'after an empty line, a short body that explains why, if that is not obvious. Answer with the message alone.'

--- Returns the lines of an answer, without a fence around it.
---@param answer string
---@return string[]
local function message(answer)
  local text = vim.trim(answer)
  text = text:match('^```[^\n]*\n(.-)\n```%s*$') or text
  return vim.split(vim.trim(text), '\n', { plain = true })
end

--- Returns the number of lines before the first comment in git's buffer, and whether they
--- are blank.
---@param buf integer
---@return integer rows
---@return boolean empty
local function written(buf)
  local empty = true
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for i, line in ipairs(lines) do
    if vim.startswith(line, '#') then
      return i - 1, empty
    end
    empty = empty and line:match('^%s*$') ~= nil
  end
  return #lines, empty
end

---@param buf integer
---@param lines string[]
local function insert(buf, lines)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return messages.warn('the commit message was not inserted: its buffer was closed')
  end
  local rows, empty = written(buf)
  local function put()
    rows = written(buf)
    vim.bo[buf].undolevels = vim.bo[buf].undolevels -- starts a new undo step
    local more = vim.api.nvim_buf_line_count(buf) > rows and { '' } or {}
    vim.api.nvim_buf_set_lines(buf, 0, rows, false, vim.list_extend(lines, more))
    messages.info('the commit message is written; u removes it')
  end
  if empty then
    return put()
  end
  vim.ui.select({ 'Replace it', 'Keep it' }, { prompt = 'emendo: there is a commit message already', kind = 'emendo.commit' }, function(_, choice)
    if choice == 1 and vim.api.nvim_buf_is_loaded(buf) then
      put()
    end
  end)
end

--- Asks the model for a message and inserts it into git's buffer.
---@param buf integer
---@param blocks table[]
---@param done? fun(err: emendo.Error?, result: table?)
local function into(buf, blocks, done)
  require('emendo.review.ephemeral_turn').run({
    buf = buf,
    first = 1,
    last = 1,
    title = 'writing a commit message',
    mode = 'plan',
    blocks = blocks,
    done = function(err, outcome)
      if err then
        messages.error(session.error_text(err))
      elseif outcome and outcome.stop == 'end_turn' and vim.trim(outcome.answer) ~= '' then
        insert(buf, message(outcome.answer))
      elseif outcome and outcome.stop ~= 'cancelled' then
        messages.warn('the model wrote no commit message')
      end
      if done then
        done(err, outcome)
      end
    end,
  })
end

--- Returns the folder to compare in. In git's own buffer it is the current directory,
--- since git starts the editor in the right one.
---@param buf integer
local function folder(buf)
  local path = vim.bo[buf].filetype ~= 'gitcommit' and paths.of_buffer(buf)
  return path and vim.fs.dirname(path) or vim.fn.getcwd()
end

--- Writes a commit message for the staged changes. The server compares: it runs nothing
--- that the repository names, and leaves secrets out.
---@param opts emendo.PromptOptions
function M.write(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local cwd = folder(buf)
  client.ensure(function(failed)
    if failed then
      return messages.error(failed)
    end
    -- While `git commit -a` runs, its changes are not in the repository's own index.
    local of = vim.bo[buf].filetype ~= 'gitcommit' and 'staged' or nil
    client.request('emendo/workspace/diff', { uri = vim.uri_from_fname(cwd), of = of }, function(err, result)
      if err then
        return messages.error(session.error_text(err))
      elseif result.text == '' then
        return messages.warn('no changes are staged: run git add first')
      elseif not vim.api.nvim_buf_is_loaded(buf) then
        return messages.warn('the commit message was not written: its buffer was closed')
      end
      local text = instruction .. (opts.text and opts.text ~= '' and ' ' .. opts.text or '')
      local diff = {
        type = 'resource',
        resource = { uri = vim.uri_from_fname(cwd) .. '#staged-changes', mimeType = 'text/x-diff', text = result.text },
        _meta = { emendo = { kind = 'changes', label = 'Staged changes' } },
      }
      if vim.bo[buf].filetype == 'gitcommit' and vim.bo[buf].modifiable then
        return into(buf, { { type = 'text', text = text }, diff }, opts.done)
      end
      if opts.open ~= false then
        require('emendo.panel').show()
      end
      require('emendo.panel.prompt').ask(text, opts.done, nil, { diff })
    end)
  end)
end

return M
