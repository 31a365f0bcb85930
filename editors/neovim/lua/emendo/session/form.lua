-- Asks the user for the values of fields with vim.ui, one after the other.
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

--- Returns a text in one line.
---@param text emendo.Text
local function line(text)
  return visible.line((text.text:gsub('%s+', ' ')))
end

--- Returns an option or a choice in one line.
---@param of {title: emendo.Text, detail?: emendo.Text}
function M.option(of)
  return line(of.title) .. (of.detail and ': ' .. line(of.detail) or '')
end

--- Asks for a text.
local function write(field, prompt, done)
  local hint = field.hint and ('(%s) '):format(line(field.hint)) or ''
  local given = field.type ~= 'choice' and (field.values or {})[1] or nil
  vim.ui.input({ prompt = prompt .. ' ' .. hint, default = given }, function(text)
    done(text and (vim.trim(text) ~= '' and { text } or {}) or nil)
  end)
end

--- Lets the user choose any number of values. Each choice toggles one.
local function choose_many(field, prompt, done)
  local chosen, ready, other = {}, { title = { text = words.done } }, { title = { text = words.other } }
  local list = { ready }
  for _, choice in ipairs(field.choices) do
    chosen[choice.value] = vim.tbl_contains(field.values or {}, choice.value)
    list[#list + 1] = choice
  end
  list[#list + 1] = field.other and other or nil
  local own = {}
  local function again()
    vim.ui.select(list, {
      prompt = prompt,
      kind = 'emendo.question',
      format_item = function(item)
        return item.value and (chosen[item.value] and '[x] ' or '[ ] ') .. M.option(item) or item.title.text
      end,
    }, function(item)
      if item == nil then
        return done(nil)
      elseif item == other then
        return write(field, prompt, function(texts)
          own = texts or own
          again()
        end)
      elseif item ~= ready then
        chosen[item.value] = not chosen[item.value]
        return again()
      end
      local values = {}
      for _, choice in ipairs(field.choices) do
        values[#values + 1] = chosen[choice.value] and choice.value or nil
      end
      done(vim.list_extend(values, own))
    end)
  end
  again()
end

--- Lets the user choose a value.
local function choose(field, prompt, done)
  local other, open = { title = { text = words.other } }, { title = { text = words.leave_open } }
  local list, given = {}, (field.values or {})[1]
  for _, choice in ipairs(field.choices) do -- the given one comes first
    table.insert(list, choice.value == given and 1 or #list + 1, choice)
  end
  list[#list + 1] = field.other and other or nil
  list[#list + 1] = not field.required and open or nil
  vim.ui.select(list, { prompt = prompt, kind = 'emendo.question', format_item = M.option }, function(choice)
    if choice == other then
      return write(field, prompt, done)
    end
    done(choice and { choice.value } or nil)
  end)
end

--- Asks for the values of fields. Calls back with them, or with nil if the user cancels one.
---@param fields table[]
---@param problems table<string, emendo.Text> what is wrong with the last values, by field
---@param done fun(values: table<string, string[]>?)
function M.fill(fields, problems, done)
  local values = {}
  local function from(i)
    local field = fields[i]
    if not field then
      return done(values)
    end
    local wrong = problems[field.id]
    local prompt = line(field.label) .. (wrong and (' (%s)'):format(line(wrong)) or '')
    local ask = #(field.choices or {}) == 0 and write or field.many and choose_many or choose
    ask(field, prompt, function(list)
      if not list then
        return done(nil)
      end
      values[field.id] = list
      field.values = list -- where the user begins, if it cannot be taken
      from(i + 1)
    end)
  end
  from(1)
end

return M
