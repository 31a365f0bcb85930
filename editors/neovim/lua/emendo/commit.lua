-- Writes a commit message for the staged changes, into the buffer that git has opened
-- for it or in the panel. Nothing is committed.
local tell = require('emendo.tell')

local M = {}

-- The maximum number of bytes of a diff, and the timeout of git in milliseconds.
local most, longest = 100000, 10000

-- The options keep git from starting other programs, whatever the repository
-- configures.
local git = { 'git', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', 'diff', '--cached', '--no-color', '--no-ext-diff', '--no-textconv' }

local instruction = 'Write a commit message for these changes: a subject line of at most 72 characters in the imperative, then, '
  .. 'after an empty line, a short body that explains why, if that is not obvious. Answer with the message alone.'

-- The names and extensions of files whose content is never sent automatically.
local secret = { '.env', '.netrc', '.npmrc', '.pypirc', '.git-credentials', 'credentials', 'credentials.json', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519' }
local secret_ends = { pem = true, key = true, p12 = true, pfx = true, jks = true, keystore = true }

---@param name string
local function is_secret(name)
  local base = vim.fs.basename(name):lower()
  return vim.tbl_contains(secret, base) or vim.startswith(base, '.env.') or secret_ends[base:match('%.(%w+)$')] == true
end

--- Removes the content of files with secrets from a diff and truncates it. The text
--- names what is missing.
---@param diff string
---@return string
function M.presentable(diff)
  local parts = {}
  for part in ('\n' .. diff):gsub('\ndiff %-%-git ', '\0diff --git '):gmatch('[^%z]+') do
    local name = part:match('^diff %-%-git .- "?b/([^\n]-)"?\n')
    if name and is_secret(name) then
      part = part:match('^[^\n]*') .. '\n(left out: this file may contain secrets)'
    end
    parts[#parts + 1] = part
  end
  local text = vim.trim(table.concat(parts, '\n')) .. '\n'
  if #text > most then
    text = text:sub(1, most + vim.str_utf_start(text, most + 1)) .. ('\n(the rest is left out: the diff has %d bytes)\n'):format(#text)
  end
  return text
end

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
    return tell.warn('the commit message was not inserted: its buffer was closed')
  end
  local rows, empty = written(buf)
  local function put()
    rows = written(buf)
    vim.bo[buf].undolevels = vim.bo[buf].undolevels -- starts a new undo step
    local more = vim.api.nvim_buf_line_count(buf) > rows and { '' } or {}
    vim.api.nvim_buf_set_lines(buf, 0, rows, false, vim.list_extend(lines, more))
    tell.info('the commit message is written; u removes it')
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
  require('emendo.aside').run({
    buf = buf,
    first = 1,
    last = 1,
    title = 'writing a commit message',
    mode = 'plan',
    blocks = blocks,
    done = function(err, outcome)
      if err then
        tell.error(require('emendo.session').says(err))
      elseif outcome and outcome.stop == 'end_turn' and vim.trim(outcome.answer) ~= '' then
        insert(buf, message(outcome.answer))
      elseif outcome and outcome.stop ~= 'cancelled' then
        tell.warn('the model wrote no commit message')
      end
      if done then
        done(err, outcome)
      end
    end,
  })
end

--- Returns the folder to run git in. In git's own buffer it is the current directory,
--- since git starts the editor in the right one.
---@param buf integer
local function folder(buf)
  local path = vim.bo[buf].filetype ~= 'gitcommit' and require('emendo.attach').path(buf)
  return path and vim.fs.dirname(path) or vim.fn.getcwd()
end

--- Writes a commit message for the staged changes.
---@param opts emendo.PromptOptions
function M.write(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local cwd = folder(buf)
  local started, err = pcall(vim.system, git, { cwd = cwd, text = true, timeout = longest }, function(result)
    vim.schedule(function()
      if result.code ~= 0 then
        return tell.error('git diff --cached: ' .. vim.trim(result.stderr or ''))
      elseif vim.trim(result.stdout) == '' then
        return tell.warn('no changes are staged: run git add first')
      end
      local text = instruction .. (opts.text and opts.text ~= '' and ' ' .. opts.text or '')
      local diff = {
        type = 'resource',
        resource = { uri = vim.uri_from_fname(cwd) .. '#staged-changes', mimeType = 'text/x-diff', text = M.presentable(result.stdout) },
        _meta = { emendo = { kind = 'changes', label = 'Staged changes' } },
      }
      if vim.bo[buf].filetype == 'gitcommit' and vim.bo[buf].modifiable then
        return into(buf, { { type = 'text', text = text }, diff }, opts.done)
      end
      if opts.open ~= false then
        require('emendo.panel').show()
      end
      require('emendo.prompt').ask(text, opts.done, nil, { diff })
    end)
  end)
  if not started then
    tell.error('git does not start: ' .. tostring(err))
  end
end

return M
