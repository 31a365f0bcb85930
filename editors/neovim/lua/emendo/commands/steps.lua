-- Does the steps of actions that only an editor can do.
local act = require('emendo.session.act')
local attachments = require('emendo.session.attachments')
local buffers = require('emendo.server.buffers')
local events = require('emendo.events')
local jump = require('emendo.windows.jump')
local messages = require('emendo.messages')
local panel = require('emendo.panel')
local preview = require('emendo.review.preview')
local prompt = require('emendo.panel.prompt')
local session = require('emendo.session')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

--- Subcommands of :Emendo that a step means.
local commands = { trust = 'trust', model = 'model', mode = 'mode', context = 'context', log = 'log', doctor = 'health' }

---@param of emendo.ActionOf
local function run(step, of, action)
  if step.open then
    jump.place(step.open)
  elseif step.diff then
    local lines = {}
    for _, file in ipairs(step.diff) do
      local name = vim.fn.fnamemodify(vim.uri_to_fname(file.place.newUri or file.place.uri), ':~:.')
      vim.list_extend(lines, { '--- ' .. name, '+++ ' .. name })
      vim.list_extend(lines, visible.lines(vim.diff(file.old, file.new) --[[@as string]]))
    end
    preview.show_diff(lines)
  elseif step.edit then
    preview.edit('emendo://edit/' .. of.id, step.edit, step.place, function(text)
      act.run(of, action, { text = text, blocks = step.blocks, values = {} })
    end)
  elseif step.copy then
    vim.fn.setreg('+', step.copy)
    vim.fn.setreg('"', step.copy)
    messages.info(words.copied)
  elseif step.compose then
    if prompt.put(step.compose) and vim.bo.filetype == 'emendo' then
      panel.focus_prompt()
    end
    attachments.attach(vim.tbl_map(function(block)
      return { name = block.name or block.mimeType or block.type, block = block }
    end, step.blocks or {}))
  elseif step.terminal then
    require('emendo.commands.terminal').open({ sessionId = step.terminal.sessionId, pid = step.terminal.pid })
  elseif step.show then
    session.load(step.show)
  elseif step.client == 'signIn' then
    messages.info(words.sign_in)
  elseif commands[step.client] then
    vim.cmd('Emendo ' .. commands[step.client])
  end
end

events.on('steps', function(steps, of, action)
  buffers.reread() -- it may have changed files
  for _, step in ipairs(steps) do
    run(step, of, action)
  end
end)

return M
