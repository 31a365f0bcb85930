-- What <CR> on a line of the panel does, and the numbers of answers.
local act = require('emendo.session.act')
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local jump = require('emendo.windows.jump')
local layout = require('emendo.windows.layout')
local messages = require('emendo.messages')
local questions = require('emendo.session.questions')
local session = require('emendo.session')
local view = require('emendo.panel.view')
local words = require('emendo.words')

local M = {}

--- Returns what an item of the session that is shown is, for its actions.
function M.of(id)
  return { view = session.view(), session = session.current and session.current.id, id = id }
end

--- Opens an image of an item with the program that the system has for it.
---@param image table its part
local function open_image(item, image)
  local at, shown = vim.iter(ipairs(item.parts)):find(function(_, part)
    return part == image
  end), session.current
  client.request('emendo/view/item', { sessionId = shown and shown.id, id = item.id }, function(err, result)
    local data = not err and vim.tbl_get(result.item, 'parts', at, 'data')
    if not data then
      return messages.error(err and client.error_text(err) or words.not_found)
    end
    local path = ('%s.%s'):format(vim.fn.tempname(), (image.mimeType or ''):match('^image/(%w+)') or 'png')
    local file = assert(io.open(path, 'wb'))
    file:write(vim.base64.decode(data))
    file:close()
    local _, failed = vim.ui.open(path)
    if failed then
      messages.error(failed)
    end
  end)
end

--- Does what a line leads to.
---@param target emendo.Target
function M.target(block, target)
  if target.answer then
    questions.answer(block.question, target.answer.option, target.answer.values, layout.follow)
  elseif target.action then
    act.run(M.of(block.id), target.action)
  elseif target.image then
    return block.item and open_image(block.item, target.image)
  else
    jump.place(target.place)
  end
end

--- Goes to what a call is about: the hunk that it proposes, or its first place.
---@return boolean went
function M.go(item)
  for _, state in ipairs(changes.states) do
    for _, h in ipairs(changes.hunks({ state })) do
      if h.itemId == item.id then
        require('emendo.review').go_to(h)
        return true
      end
    end
  end
  for _, line in ipairs(item.lines or {}) do
    local stat = line.place and vim.uv.fs_stat(vim.uri_to_fname(line.place.uri))
    if stat and stat.type == 'file' then
      jump.place(line.place)
      return true
    end
  end
  return false
end

--- Maps the keys 1 to 9 to the answers of the question at the cursor. Elsewhere, and after a
--- count, they are counts as usual.
function M.map(buf)
  for number = 1, 9 do
    vim.keymap.set('n', tostring(number), function()
      local block = view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
      local q = block and block.question
      if not q or vim.v.count > 0 then
        return tostring(number)
      end
      vim.schedule(function()
        local answer = questions.answers(q)[number]
        if answer then
          questions.answer(q, answer.option, answer.values, layout.follow)
        end
      end)
      return ''
    end, { buffer = buf, expr = true, nowait = true, desc = words.number })
  end
end

return M
