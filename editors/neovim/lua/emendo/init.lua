-- The public Lua API. Each function is also a subcommand of :Emendo. Other modules of
-- the plugin are loaded when they are needed.
local events = require('emendo.events')

local M = {}

events.on('starting', function(config)
  require('emendo.handlers').configure(config)
end)

--- Sets the options and maps the keys. It can be called again.
---@param opts? emendo.Options
function M.setup(opts)
  require('emendo.config').set(opts)
  require('emendo.keys').map(M)
  for name in pairs(opts and opts.prompts or {}) do
    if rawget(M, name) and name ~= 'setup' and name ~= 'state' then
      vim.notify(require('emendo.words').taken_name:format(name), vim.log.levels.WARN)
    end
  end
  if require('emendo.config').options.start then
    require('emendo.server.client').start()
  end
end

--- Opens the panel and goes to its prompt.
function M.open()
  require('emendo.server.workspace').add_current_project()
  require('emendo.panel').focus_prompt()
  require('emendo.server.client').ensure(function() end)
end

--- Closes the panel; a running turn continues.
function M.close()
  require('emendo.panel').close()
end

--- Opens or closes the panel.
function M.toggle()
  local panel = require('emendo.panel')
  if panel.window() then
    panel.close()
  else
    M.open()
  end
end

---@class emendo.Ask
---@field prompt? string the question; without it the prompt is opened to type one
---@field range? integer[] first and last line that it is about, one-based
---@field buf? integer the buffer of the range; by default the current one
---@field open? boolean show the panel, which is the default
---@field done? fun(err: emendo.Error?, result: table?) when the turn has ended; result has stopReason, turnId, usage

--- Asks a question. The current file and cursor position are always sent with it; the
--- lines of a range are sent in full, saved or not.
---@param opts? emendo.Ask
function M.ask(opts)
  opts = opts or {}
  local panel, prompt = require('emendo.panel'), require('emendo.panel.prompt')
  if opts.range then
    local buf = opts.buf or vim.api.nvim_get_current_buf()
    require('emendo.session.attachments').link(buf, opts.range[1], opts.range[2])
  end
  if not opts.prompt then
    return M.open()
  end
  if opts.open ~= false then
    panel.show()
  end
  prompt.ask(opts.prompt, opts.done)
end

--- Sends the text in the prompt.
function M.send()
  require('emendo.panel.prompt').send()
end

---@param text string?
---@param how 'steer'|'interrupt'
local function send(text, how)
  local prompt = require('emendo.panel.prompt')
  if text then
    return prompt.ask(text, nil, how)
  end
  prompt.send(how)
end

--- Sends a question, by default the text in the prompt, to the running turn, which reads
--- it after its next step.
---@param text? string
function M.steer(text)
  send(text, 'steer')
end

--- Cancels the running turn and sends a question, by default the text in the prompt.
---@param text? string
function M.interrupt(text)
  send(text, 'interrupt')
end

--- Attaches the image in the clipboard to the next question, or an image file.
---@param path? string
function M.paste(path)
  if path then
    require('emendo.panel.images').file(path)
  else
    require('emendo.panel.images').paste()
  end
end

--- Removes the lines and images that would be sent with the next question.
function M.detach()
  require('emendo.session.attachments').detach()
end

--- Lets the user exclude or include parts of the context of the next question.
function M.context()
  require('emendo.panel.chips').select()
end

--- Runs a prompt by its name: a built-in one or one from setup().
---@param name? string without it the prompts are offered
---@param opts? emendo.PromptOptions
function M.prompt(name, opts)
  if name then
    require('emendo.commands.prompts').run(name, opts)
  else
    require('emendo.commands.prompts').select(opts)
  end
end

--- Edits the lines of a range, or the function at the cursor, by an instruction. The
--- edits become hunks in the buffer.
---@param opts? emendo.Change
function M.change(opts)
  require('emendo.server.workspace').add_current_project()
  require('emendo.review.inline_edit').change(opts)
end

--- Adds a folder to the workspace: by default the project of the current file.
---@param path? string
function M.folder(path)
  require('emendo.commands.sessions').add_folder(path)
end

--- Lists the queued questions, to edit, send or remove one.
function M.queue()
  require('emendo.commands.actions').queue()
end

--- Cancels the edit that is in progress in this buffer, else the running turn.
function M.cancel()
  require('emendo.review.tasks').cancel()
end

--- Accepts the hunk at the cursor, or the one that `opts` names.
---@param opts? emendo.Decide
function M.accept(opts)
  require('emendo.review').accept(opts)
end

--- Rejects the hunk at the cursor, or the one that `opts` names. An accepted hunk is
--- undone.
---@param opts? emendo.Decide
function M.reject(opts)
  require('emendo.review').reject(opts)
end

--- Opens the new text of the hunk at the cursor; writing it accepts it.
function M.edit()
  require('emendo.review').edit()
end

--- Goes to the next pending hunk, across all files.
function M.next()
  require('emendo.review').go(1)
end

--- Goes to the previous pending hunk, across all files.
function M.prev()
  require('emendo.review').go(-1)
end

--- Accepts every pending hunk of the session, in one undo step per file.
---@param opts? emendo.DecideAll
function M.accept_all(opts)
  require('emendo.review').all('accept', opts)
end

--- Rejects every pending hunk of the session.
---@param opts? emendo.DecideAll
function M.reject_all(opts)
  require('emendo.review').all('reject', opts)
end

--- Puts the hunks of all files into the quickfix list.
---@param opts? {open?: boolean} open: false leaves the quickfix window closed
function M.hunks(opts)
  require('emendo.review').list(opts)
end

--- Shows what waits in all files as one diff.
function M.diff()
  require('emendo.review').diff()
end

--- Starts a new session.
---@param done? fun(session: emendo.Session)
function M.new(done)
  require('emendo.panel').show()
  require('emendo.session').new(function(session)
    if session and done then
      done(session)
    end
  end)
end

--- Lists this folder's stored sessions and resumes the chosen one.
function M.sessions()
  require('emendo.commands.sessions').select()
end

--- Resumes a stored session, by default this folder's newest.
---@param id? string
function M.resume(id)
  require('emendo.commands.sessions').resume(id)
end

--- Rewinds the session to the state before one of its questions.
function M.rewind()
  require('emendo.commands.rewind').rewind()
end

--- Forks the session: starts a new one as a copy of it up to one of its questions.
function M.fork()
  require('emendo.commands.rewind').fork()
end

--- Lists the session's decided changes and makes the chosen one pending again.
function M.reopen()
  require('emendo.commands.rewind').reopen()
end

--- Lists this folder's stored sessions and deletes the chosen one.
function M.delete()
  require('emendo.commands.sessions').delete()
end

--- Renames the current session.
---@param title? string asked for if it is missing
function M.rename(title)
  require('emendo.commands.sessions').rename(title)
end

--- Shows the session in Markdown, in a buffer that can be written to a file.
function M.export()
  require('emendo.commands.sessions').export()
end

--- Sets the mode, by default the one that the user chooses.
---@param id? string
function M.mode(id)
  require('emendo.commands.sessions').choose('mode', id)
end

--- Sets the model, by default the one that the user chooses.
---@param id? string
function M.model(id)
  require('emendo.commands.sessions').choose('model', id)
end

--- Answers the pending question with the ID of an answer, or lets the user choose one.
---@param option? string
function M.permission(option)
  require('emendo.commands.answer').answer(option)
end

--- Trusts the folder, after showing what it would start and asking the user.
---@param opts? {confirm?: boolean} confirm: false asks only about what it would start
function M.trust(opts)
  require('emendo.commands.sessions').trust(opts)
end

--- Checks the installation.
function M.health()
  vim.cmd('checkhealth emendo')
end

--- Opens the server's log.
function M.log()
  require('emendo.server.client').execute('emendo.showLog')
end

--- Restarts the server; the session continues.
function M.restart()
  require('emendo.server.client').restart()
end

--- Returns a short phrase for a status line; empty if emendo has not been used.
---@return string
function M.status()
  return package.loaded['emendo.server.client'] and require('emendo.status').line() or ''
end

--- Returns the whole observable state as plain values: see emendo.State.
---@return emendo.State
function M.state()
  return require('emendo.status').state()
end

-- Each prompt is also a function: explain, fix, test and so on.
setmetatable(M, {
  __index = function(_, name)
    if type(name) == 'string' and require('emendo.commands.prompts').all()[name] then
      return function(opts)
        require('emendo.commands.prompts').run(name, opts)
      end
    end
  end,
})

return M
