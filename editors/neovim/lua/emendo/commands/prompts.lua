-- Named prompts: those built into emendo, and the user's own from setup(). Each is a
-- subcommand of :Emendo and a function.
local attachments = require('emendo.session.attachments')
local config = require('emendo.config')
local menu = require('emendo.menu')
local messages = require('emendo.messages')
local words = require('emendo.words')

local M = {}

---@class emendo.NamedPrompt: emendo.Prompt
---@field command? string of the server
---@field problems? boolean the diagnostics of the lines go with it
---@field run? fun(opts: emendo.PromptOptions) does something else than asking

--- The built-in prompts are commands of the server, described in words.lua; what differs is here.
---@type table<string, emendo.NamedPrompt>
local built_in = {
  fix = { problems = true },
  commit = { run = require('emendo.commands.commit').write },
}
for name, desc in pairs(words.prompt) do
  built_in[name] = vim.tbl_extend('force', { desc = desc, command = 'emendo.' .. name }, built_in[name] or {})
end

--- Returns all prompts by name.
---@return table<string, emendo.NamedPrompt>
function M.all()
  local all = vim.tbl_extend('force', {}, built_in)
  for name, given in pairs(config.options.prompts) do
    all[name] = type(given) == 'table' and given or { prompt = given }
  end
  return all
end

--- Returns the names of all prompts, sorted.
function M.names()
  local names = vim.tbl_keys(M.all())
  table.sort(names)
  return names
end

---@class emendo.PromptOptions
---@field range? integer[] first and last line, one-based; by default the function at the cursor, else the file
---@field buf? integer the buffer of the range, by default that of the file in front
---@field text? string the user's own words, which are added
---@field open? boolean show the panel, which is the default
---@field done? fun(err: emendo.Error?, result: table?) when the turn has ended

--- Returns the diagnostics of a range, one line for each, without those from emendo.
---@param first integer one-based
---@param last integer one-based
local function problems(buf, first, last)
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.source ~= 'emendo' and d.lnum + 1 <= last and (d.end_lnum or d.lnum) + 1 >= first then
      local from = d.source and (' (%s)'):format(d.source) or ''
      list[#list + 1] = ('line %d: %s%s'):format(d.lnum + 1, d.message:gsub('%s+', ' '), from)
    end
  end
  return list
end

--- Replaces the placeholders of a prompt.
local function fill(text, buf, first, last)
  local list = problems(buf, first, last)
  return (text:gsub('{(%l+)}', {
    selection = table.concat(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), '\n'),
    file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ':~:.'),
    filetype = vim.bo[buf].filetype,
    diagnostics = #list > 0 and '- ' .. table.concat(list, '\n- ') or 'none',
  }))
end

--- Sends a prompt about lines, or puts it into the prompt buffer if `send` is false.
---@param p emendo.NamedPrompt
---@param opts emendo.PromptOptions
local function ask(p, opts, buf, first, last)
  local prompt, panel = require('emendo.panel.prompt'), require('emendo.panel')
  local text = fill(p.prompt, buf, first, last)
  if opts.text and opts.text ~= '' then
    text = text .. ' ' .. opts.text
  end
  if not p.prompt:find('{selection}', 1, true) then
    attachments.link(buf, first, last)
  end
  if p.send == false then
    if not prompt.put(text) then
      messages.warn(words.not_empty)
    end
    return panel.focus_prompt()
  end
  if opts.open ~= false then
    panel.show()
  end
  prompt.ask(text, opts.done)
end

--- Runs a command of the server about lines, in the session that is shown.
---@param p emendo.NamedPrompt
---@param opts emendo.PromptOptions
local function command(p, opts, buf, first, last)
  local target = attachments.target(buf, first, last)
  target.instruction = opts.text
  target.problems = p.problems and problems(buf, first, last) or nil
  if opts.open ~= false then
    require('emendo.panel').show()
  end
  require('emendo.commands.code_actions').run({ command = p.command, arguments = { target } }, opts.done)
end

--- Returns the buffer that a prompt is about, and the line of the cursor in it.
---@param opts emendo.PromptOptions
---@return integer? buf
---@return integer line
local function place(opts)
  local win = require('emendo.server.file_window').current()
  local buf = opts.buf or opts.range and vim.api.nvim_get_current_buf() or win and vim.api.nvim_win_get_buf(win)
  local here = win and buf == vim.api.nvim_win_get_buf(win)
  return buf, here and vim.api.nvim_win_get_cursor(win --[[@as integer]])[1] or 1
end

--- Lets the user choose a prompt and runs it.
---@param opts? emendo.PromptOptions
local function select(opts)
  local all = M.all()
  local function line(name)
    return ('%s: %s'):format(name, all[name].desc or all[name].prompt:gsub('%s+', ' '))
  end
  menu(M.names(), { kind = 'prompt', prompt = words.which_prompt, line = line }, function(name)
    M.run(name, opts)
  end)
end

--- Runs a prompt, by default the one that the user chooses.
---@param name? string
---@param opts? emendo.PromptOptions
function M.run(name, opts)
  opts = opts or {}
  local p = M.all()[name]
  if not name then
    return select(opts)
  elseif not p then
    return messages.error(words.no_prompt:format(name))
  elseif p.run then
    return p.run(opts)
  elseif not p.command and type(p.prompt) ~= 'string' then
    return messages.error(words.no_text:format(name, name))
  end
  local go = p.command and command or ask
  local buf, row = place(opts)
  if not buf then
    return messages.warn(words.no_file)
  elseif opts.range then
    return go(p, opts, buf, opts.range[1], opts.range[2])
  end
  require('emendo.text.enclosing_function').around(buf, row, function(first, last)
    if vim.api.nvim_buf_is_loaded(buf) then
      go(p, opts, buf, first or 1, last or vim.api.nvim_buf_line_count(buf))
    end
  end)
end

return M
