-- The public Lua API, as require('emendo'). Each function is also a subcommand of :Emendo.
local actions = require('emendo.commands.actions')
local answer = require('emendo.commands.answer')
local attachments = require('emendo.session.attachments')
local chips = require('emendo.panel.chips')
local client = require('emendo.server.client')
local comments = require('emendo.review.comments')
local images = require('emendo.panel.images')
local panel = require('emendo.panel')
local prompt = require('emendo.panel.prompt')
local prompts = require('emendo.commands.prompts')
local review = require('emendo.review')
local rewind = require('emendo.commands.rewind')
local session = require('emendo.session')
local sessions = require('emendo.commands.sessions')
local tasks = require('emendo.review.tasks')
local workspace = require('emendo.server.workspace')
require('emendo.handlers')

---@class emendo.Api
local M = {}

--- Opens the panel and goes to its prompt.
function M.open()
  workspace.add_current_project()
  panel.focus_prompt()
  client.ensure(function() end)
end

--- Closes the panel; a running turn continues.
M.close = panel.close

--- Opens or closes the panel.
function M.toggle()
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
  if opts.range then
    attachments.link(opts.buf or vim.api.nvim_get_current_buf(), opts.range[1], opts.range[2])
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
  prompt.send()
end

--- Sends a question, by default the text in the prompt, to the running turn, which reads
--- it after its next step.
---@param text? string
function M.steer(text)
  prompt.send('steer', text)
end

--- Cancels the running turn and sends a question, by default the text in the prompt.
---@param text? string
function M.interrupt(text)
  prompt.send('interrupt', text)
end

--- Attaches the image in the clipboard to the next question, or an image file.
---@type fun(path?: string)
M.paste = images.paste

--- Removes the lines and images that would be sent with the next question.
M.detach = attachments.detach

--- Lets the user exclude or include parts of the context of the next question.
M.context = chips.select

--- Runs a prompt by its name: a built-in one or one from setup(). Without a name the prompts are
--- offered.
---@type fun(name?: string, opts?: emendo.PromptOptions)
M.prompt = prompts.run

--- Edits the lines of a range, or the function at the cursor, by an instruction. The
--- edits become hunks in the buffer.
---@type fun(opts?: emendo.Change)
M.change = require('emendo.review.inline_edit').change

--- Adds a folder to the workspace: by default the project of the current file.
---@type fun(path?: string)
M.folder = sessions.add_folder

--- Lists MCP servers, agents, skills, hooks or rules, to switch them. Without a name the lists are
--- offered: `mcp`, `agents`, `skills`, `hooks`, `rules`.
---@type fun(name?: string)
M.lists = require('emendo.commands.lists').show

--- Opens a terminal: of the shell, or of a command.
---@param command? string
function M.terminal(command)
  require('emendo.commands.terminal').open({ command = command })
end

--- Lists the queued questions, to edit, send or remove one.
M.queue = actions.queue

--- Cancels the edit that is in progress in this buffer, else the running turn.
M.cancel = tasks.cancel

--- Accepts the hunk at the cursor, or the one that `opts` names.
---@param opts? emendo.Decide
function M.accept(opts)
  review.decide('accept', opts)
end

--- Rejects the hunk at the cursor, or the one that `opts` names. One that was applied is undone.
---@param opts? emendo.Decide
function M.reject(opts)
  review.decide('reject', opts)
end

--- Opens the new text of the hunk at the cursor; writing it accepts it.
M.edit = review.edit

--- Goes to the next pending hunk, across all files.
function M.next()
  review.go(1)
end

--- Goes to the previous pending hunk, across all files.
function M.prev()
  review.go(-1)
end

--- Accepts every pending hunk of the session, in one undo step per file.
---@param opts? emendo.DecideAll
function M.accept_all(opts)
  review.all('accept', opts)
end

--- Rejects every pending hunk of the session.
---@param opts? emendo.DecideAll
function M.reject_all(opts)
  review.all('reject', opts)
end

--- Puts the hunks of all files into the quickfix list. open: false leaves its window closed.
---@type fun(opts?: {open?: boolean})
M.hunks = review.list

--- Shows what waits in all files as one diff.
M.diff = review.diff

--- Comments on lines, by default the cursor's, or changes the comment there.
---@type fun(opts?: {text?: string, range?: integer[]})
M.comment = comments.comment

--- Sends the comments that wait as one prompt, with a text below them.
---@param text? string
function M.send_comments(text)
  panel.show()
  comments.send(text)
end

--- Has the changes reviewed that are not committed: what is found shows as diagnostics.
function M.review_changes()
  panel.show()
  comments.review()
end

--- Starts a new session.
---@param done? fun(session: emendo.Session)
function M.new(done)
  panel.show()
  session.new(function(s)
    if s and done then
      done(s)
    end
  end)
end

--- Lists this folder's stored sessions and resumes the chosen one.
M.sessions = sessions.select

--- Resumes a stored session, by default this folder's newest.
---@type fun(id?: string)
M.resume = sessions.resume

--- Rewinds the session to the state before one of its questions.
M.rewind = rewind.rewind

--- Forks the session: starts a new one as a copy of it up to one of its questions.
M.fork = rewind.fork

--- Lists the session's decided changes and makes the chosen one pending again.
M.reopen = rewind.reopen

--- Lists this folder's stored sessions and deletes the chosen one.
M.delete = sessions.delete

--- Renames the current session. The title is asked for if it is missing.
---@type fun(title?: string)
M.rename = sessions.rename

--- Shows the session in Markdown, in a buffer that can be written to a file.
M.export = sessions.export

--- Sets the mode, by default the one that the user chooses.
---@param id? string
function M.mode(id)
  sessions.choose('mode', id)
end

--- Sets the model, by default the one that the user chooses.
---@param id? string
function M.model(id)
  sessions.choose('model', id)
end

--- Answers the pending question with the ID of an answer, or lets the user choose one.
---@type fun(option?: string)
M.permission = answer.answer

--- Trusts the folder, after showing what it would start and asking the user. confirm: false asks
--- only about what it would start.
---@type fun(opts?: {confirm?: boolean})
M.trust = sessions.trust

--- Checks the installation.
function M.health()
  vim.cmd('checkhealth emendo')
end

--- Opens the server's log.
function M.log()
  client.ask('workspace/executeCommand', { command = 'emendo.showLog' })
end

--- Restarts the server; the session continues.
M.restart = client.restart

--- Returns the whole observable state as plain values.
---@return emendo.State
M.state = require('emendo.status').state

-- Each prompt is also a function: explain, fix, test and so on.
return setmetatable(M, {
  __index = function(_, name)
    return type(name) == 'string' and prompts.all()[name] and function(opts)
      prompts.run(name, opts)
    end or nil
  end,
})
