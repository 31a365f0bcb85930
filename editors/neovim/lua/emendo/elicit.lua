-- Questions that the model asks the user, one or several at a time.
local M = {}

--- What an option is called and what it stands for.
local function label(option)
  return type(option) == 'table' and (option.label or option.name or option.value) or tostring(option)
end

local function described(option)
  local more = type(option) == 'table' and option.description or ''
  return label(option) .. (more ~= '' and ': ' .. more or '')
end

local function value(option)
  return type(option) == 'table' and (option.value or option.label or option.name) or tostring(option)
end

--- The options that a question can be answered with; none for free text.
local function options(question)
  if question.type == 'yesno' then
    return { { label = 'Yes', value = 'yes' }, { label = 'No', value = 'no' } }
  end
  return question.type == 'choice' and question.options or {}
end

--- Writes the questions as lines; those of a single choice can be chosen in the
--- panel.
---@param q emendo.Question
---@return string[]
function M.render(q)
  local questions = q.params.questions or {}
  q.lines = {}
  q.text = vim.fn.strtrans((questions[1] or {}).question or 'something'):gsub('\n', ' ')
  local head = { '? emendo asks:' }
  for _, question in ipairs(questions) do
    for _, line in ipairs(vim.split(question.question or '', '\n', { plain = true })) do
      table.insert(head, '  ' .. vim.fn.strtrans(line))
    end
    for _, option in ipairs(options(question)) do
      if #questions == 1 and not question.multiSelect then
        q.lines[#head] = value(option)
      end
      table.insert(head, '  ▸ ' .. vim.fn.strtrans(described(option)))
    end
  end
  table.insert(head, next(q.lines) and '  (<CR> on an answer here, or :Emendo permission)' or '  (:Emendo permission answers)')
  return head
end

--- Has the user choose any number of options: each choice switches one.
local function select_many(question, done)
  local chosen = {}
  local list = options(question)
  local function again()
    local items = vim.list_extend({ 'Done' }, list)
    vim.ui.select(items, {
      prompt = question.question,
      kind = 'emendo.question',
      format_item = function(item)
        return item == 'Done' and item or (chosen[item] and '[x] ' or '[ ] ') .. label(item)
      end,
    }, function(item)
      if item == nil then
        return done(nil)
      elseif item ~= 'Done' then
        chosen[item] = not chosen[item]
        return again()
      end
      done(vim.tbl_map(
        value,
        vim.tbl_filter(function(o)
          return chosen[o]
        end, list)
      ))
    end)
  end
  again()
end

local function write(question, done)
  vim.ui.input({ prompt = (question.question or '') .. ' ' }, function(text)
    done(text and (text ~= '' and { text } or {}))
  end)
end

local other = { label = 'Something else…' } -- any text answers a choice too
local open = { label = 'Leave it open' }

--- Asks one question; calls back with the values, or nil when it was left.
local function one(question, done)
  local list = options(question)
  if #list == 0 then
    return write(question, done)
  elseif question.multiSelect then
    return select_many(question, done)
  end
  list = vim.list_extend({}, list)
  vim.list_extend(list, { other, open })
  vim.ui.select(list, { prompt = question.question, kind = 'emendo.question', format_item = described }, function(option)
    if option == other then
      return write(question, done)
    end
    done(option ~= nil and (option == open and {} or { value(option) }) or nil)
  end)
end

--- Asks the questions one after the other. Leaving one leaves the whole waiting.
---@param q emendo.Question
---@param done fun(reply: table, outcome: string)
function M.run(q, done)
  local answers, said = {}, {}
  local function from(i)
    local question = q.params.questions[i]
    if not question then
      return done({ answers = answers }, table.concat(said, '; '))
    end
    one(question, function(values)
      if values then
        answers[i] = { values = values }
        said[i] = table.concat(values, ', ')
        from(i + 1)
      end
    end)
  end
  from(1)
end

return M
