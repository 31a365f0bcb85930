-- Permission for a call: shows everything that the call would do, why permission is
-- needed, and how it would be sandboxed.
local client = require('emendo.server.client')
local sandbox = require('emendo.session.sandbox')
local syntax = require('emendo.text.syntax')
local visible = require('emendo.text.visible')

local M = {}

--- The reply to the server when a question is withdrawn.
M.withdrawn = { outcome = 'cancelled' }

-- The maximum number of simple commands that are listed for one command line.
local most_parts = 10

---@param path string
local function short(path)
  return visible.line(vim.fn.fnamemodify(path, ':~'))
end

--- Returns what the question is about: a one-line summary, and the full text as lines.
---@return string
---@return string[]
local function about(params)
  local p, call = params.preview or {}, params.toolCall or {}
  if p.waits then
    return 'go on with this before you decide on its edits', visible.lines(call.title or call.name or '?')
  elseif p.command then
    local here = p.cwd == client.server.root
    return 'run this' .. (here and '' or ' in ' .. short(p.cwd or '.')), visible.lines(p.command)
  elseif p.skill then
    return 'use the skill ' .. visible.line(p.skill), vim.tbl_map(visible.line, p.paths or {})
  elseif p.paths then
    return 'read ' .. visible.line(table.concat(p.paths, ', ')), {}
  elseif p.toolName == 'sampling/createMessage' then
    return ('have the model answer the MCP server %s'):format(visible.line(p.serverName)), visible.lines(vim.inspect(p.args))
  elseif p.serverName then
    return ('call %s of %s'):format(visible.line(p.toolName or '?'), visible.line(p.serverName)), visible.lines(vim.inspect(p.args))
  elseif p.text and p.urls then
    return 'send this task to the remote agent at ' .. visible.line(table.concat(p.urls, ', ')), visible.lines(p.text)
  elseif p.text then
    return 'pass on a question of a remote agent', visible.lines(p.text)
  elseif p.urls then
    return 'reach', vim.tbl_map(visible.line, p.urls)
  elseif p.executable then
    return ('start the %s %s of this folder'):format(p.executable.kind, visible.line(p.executable.name or '')), visible.lines(p.executable.command or '')
  elseif p.planUri then
    return 'carry out this plan', {}
  end
  return 'do this', visible.lines(call.title or call.name or '?')
end

--- Reports what a user needs to know about a command besides its text.
---@param say fun(text: string, group?: string)
local function command(params, say)
  local p = params.preview
  local parts = p.parsed or {}
  if #parts > 1 then
    local named = vim.tbl_map(visible.line, vim.list_slice(parts, 1, most_parts))
    if #parts > most_parts then
      named[#named + 1] = ('and %d more'):format(#parts - most_parts)
    end
    say('It would run: ' .. table.concat(named, ' · '))
  end
  local level = vim.tbl_get(params, 'toolCall', '_meta', 'emendo', 'sandbox')
  if level then
    local access = level ~= 'C' and ', apart from access that you grant' or ', with all that you may do'
    say(('It would run %s%s.'):format(sandbox.described(level), access), level == 'C' and 'EmendoWarning' or nil)
  end
  local function files(text, uris)
    if #(uris or {}) > 0 then
      local names = vim.tbl_map(function(uri)
        return visible.line(vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.'))
      end, uris)
      say(text .. table.concat(names, ', '), 'EmendoWarning')
    end
  end
  files('It would first save: ', p.saves)
  files('Not saved, so it would see the text on disk: ', p.unsaved)
end

--- Returns the text of the plan, for the panel.
---@return string[]?
function M.plan(params)
  local uri = vim.tbl_get(params, 'preview', 'planUri')
  local ok, lines = pcall(vim.fn.readfile, uri and vim.uri_to_fname(uri) or '')
  return uri and ok and lines or nil
end

--- Returns the answers in the order in which they are shown. `reject_once` is moved up to
--- second, so that it is always in the same place.
---@return table[]
local function options(params)
  local list = vim.list_extend({}, params.options or {})
  for i, option in ipairs(list) do
    if option.kind == 'reject_once' and i > 2 then
      table.insert(list, 2, table.remove(list, i))
      break
    end
  end
  return list
end

--- Returns a variable that a program is given, without the value of a secret.
---@param of { name: string, value: string? }
---@return string
local function setting(of)
  return of.value and ('%s=%s'):format(of.name, of.value) or ('%s (not shown)'):format(of.name)
end

---@param q emendo.Question
---@return emendo.QuestionLine[]
function M.render(q)
  local title, body = about(q.params)
  local more = #body > 1 and (' (the first of %d lines)'):format(#body) or ''
  local does = q.params.preview and q.params.preview.command and 'run this' or title -- there is little room
  q.text = 'may it ' .. does .. (body[1] and ': ' .. body[1] .. more or '?')
  local lines = { { text = '? emendo asks: may it ' .. title .. '?' } }
  local function say(text, group)
    lines[#lines + 1] = { text = '  ' .. text, group = group }
  end
  local preview = q.params.preview or {}
  local shell = (preview.command or vim.tbl_get(preview, 'executable', 'command')) and syntax.language('sh')
  local colours = syntax.spans(shell or nil, body)
  for i, line in ipairs(body) do
    say('  ' .. line)
    lines[#lines].spans, lines[#lines].indent = colours[i], 4
  end
  if preview.command then
    command(q.params, say)
  elseif #(vim.tbl_get(preview, 'executable', 'env') or {}) > 0 then
    say('It sets ' .. visible.line(table.concat(vim.tbl_map(setting, preview.executable.env), ', ')) .. '.')
  elseif preview.planUri then
    local path = vim.uri_to_fname(preview.planUri)
    lines[#lines + 1] = { text = '  → ' .. short(path), group = 'EmendoLink', open = path }
  end
  for _, line in ipairs(visible.lines(vim.tbl_get(q.params, 'toolCall', '_meta', 'emendo', 'reason') or '')) do
    if line ~= '' then
      say(line, 'EmendoWarning')
    end
  end
  for _, option in ipairs(options(q.params)) do
    local name = visible.line(option.name)
    lines[#lines + 1] = {
      text = '  ▸ ' .. name,
      id = option.optionId,
      kind = option.kind,
      act = function(done)
        done({ outcome = 'selected', optionId = option.optionId }, name)
      end,
    }
  end
  return lines
end

--- Asks the user with vim.ui.select. The answers have the numbers that they have in the
--- panel; what only the menu offers comes after them.
---@param q emendo.Question
---@param done fun(reply: table, outcome: string)
function M.ask(q, done)
  local items, reasons = {}, {}
  for _, option in ipairs(options(q.params)) do
    local name = visible.line(option.name)
    table.insert(items, { option = option, name = name })
    if option.kind == 'reject_once' then
      table.insert(reasons, { option = option, name = name .. ', and say why', why = true })
    end
  end
  vim.list_extend(items, reasons)
  vim.ui.select(items, {
    prompt = 'emendo: ' .. q.text,
    kind = 'emendo.permission',
    format_item = function(item)
      return item.name
    end,
  }, function(item)
    if not item then
      return -- the question stays pending
    end
    local reply = { outcome = 'selected', optionId = item.option.optionId }
    if not item.why then
      return done(reply, item.name)
    end
    vim.ui.input({ prompt = 'Why not: ' }, function(why)
      if why then
        reply.feedback = why ~= '' and why or nil
        done(reply, visible.line(item.option.name) .. (why ~= '' and ': ' .. visible.line(why) or ''))
      end
    end)
  end)
end

return M
