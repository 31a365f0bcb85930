-- Questions that the model asks the user, one or several at a time.
local form = require('emendo.session.form')
local visible = require('emendo.text.visible')

local M = {}

--- The reply when questions are withdrawn or closed.
M.withdrawn = { cancelled = true }

--- Returns the options of a question; none for free text.
---@return {label: string, value: string, description: string}[]
local function options(question)
  if question.type == 'yesno' then
    return { { label = 'Yes', value = 'yes', description = '' }, { label = 'No', value = 'no', description = '' } }
  end
  return vim.tbl_map(function(o)
    return { label = visible.line(o.label), value = o.value or o.label, description = visible.line(o.description or '') }
  end, question.type == 'choice' and question.options or {})
end

local function described(option)
  return option.label .. ((option.description or '') ~= '' and ': ' .. option.description or '')
end

--- Builds the reply to a single question.
local function values(...)
  return { answers = { { values = { ... } } } }
end

--- Returns a question in one line.
local function brief(question)
  return visible.line((question.question:gsub('%s+', ' ')))
end

--- Prompts the user for a text until it is a valid answer or is cancelled.
---@param wrong? string what is wrong with the last one
---@param before? string the last one
local function write(question, done, wrong, before)
  local example = (question.placeholder or '') ~= '' and ('(such as %s) '):format(visible.line(question.placeholder)) or ''
  local why = wrong and ('(%s) '):format(wrong) or ''
  local start = before or form.given(question)[1]
  vim.ui.input({ prompt = brief(question) .. ' ' .. example .. why, default = question.type ~= 'choice' and start or nil }, function(text)
    if not text then
      return done(nil)
    end
    local text_only = question.type == 'text' or question.type == 'choice'
    local value = text_only and text or vim.trim(text)
    local list = vim.trim(value) ~= '' and { value } or {}
    local problem = form.problem(question, list)
    if problem then
      return write(question, done, problem, text)
    end
    done(list)
  end)
end

--- Closes the questions without an answer.
local function close(done)
  done(M.withdrawn, 'no answer')
end

--- Returns the line for an answer.
local function answer(id, text, act)
  return { text = '  ▸ ' .. text, id = id, act = act }
end

--- Appends the lines of a question. The options of an only question, unless several can
--- be chosen, are answers.
local function render(lines, question, only)
  for i, line in ipairs(visible.lines(question.question)) do
    local header = not only and i == 1 and visible.line(question.header) .. ': ' or ''
    table.insert(lines, { text = '  ' .. header .. line })
  end
  if (question.placeholder or '') ~= '' then
    table.insert(lines, { text = '    such as ' .. visible.line(question.placeholder), group = 'EmendoHunk' })
  end
  local hint = form.hint(question)
  if hint then
    table.insert(lines, { text = ('    (%s)'):format(hint), group = 'EmendoHunk' })
  end
  for _, option in ipairs(options(question)) do
    if only and not question.multiSelect then
      table.insert(
        lines,
        answer(option.value, described(option), function(done)
          done(values(option.value), option.label)
        end)
      )
    else
      table.insert(lines, { text = '    - ' .. described(option) })
    end
  end
end

---@param q emendo.Question
---@return emendo.QuestionLine[]
function M.render(q)
  local questions = q.params.questions
  local only = #questions == 1
  q.text = brief(questions[1]) .. (only and '' or (' (and %d more)'):format(#questions - 1))
  local server = q.params.serverName and 'The MCP server ' .. visible.line(q.params.serverName)
  local asker = server or q.params.toolCallId and 'The model' or 'emendo'
  local lines = { { text = only and ('? %s asks:'):format(asker) or ('? %s asks %d things:'):format(asker, #questions) } }
  for _, question in ipairs(questions) do
    render(lines, question, only)
  end
  local function ask(done)
    M.ask(q, done)
  end
  local function something_else(done)
    write(questions[1], function(list)
      if list then
        done(values(unpack(list)), visible.line(list[1] or 'left open'))
      end
    end)
  end
  local kind = only and not questions[1].multiSelect and questions[1].type or 'several'
  if kind == 'choice' and form.takes_other(questions[1]) then
    table.insert(lines, answer('other', 'Something else…', something_else))
  elseif kind ~= 'yesno' and kind ~= 'choice' then
    table.insert(lines, answer('answer', 'Answer…', ask))
  end
  table.insert(lines, answer('none', 'No answer', close))
  return lines
end

--- Lets the user choose any number of options. Each choice toggles one.
local function select_many(question, done)
  local chosen, ready, wrong = {}, { label = 'Done' }, nil
  local list = options(question)
  for _, o in ipairs(list) do
    chosen[o] = vim.tbl_contains(form.given(question), o.value)
  end
  local function again()
    vim.ui.select(vim.list_extend({ ready }, list), {
      prompt = brief(question) .. (wrong and (' (%s)'):format(wrong) or ''),
      kind = 'emendo.question',
      format_item = function(item)
        return item == ready and item.label or (chosen[item] and '[x] ' or '[ ] ') .. described(item)
      end,
    }, function(item)
      if item == nil then
        return done(nil)
      elseif item ~= ready then
        chosen[item] = not chosen[item]
        return again()
      end
      local taken = vim.tbl_filter(function(o)
        return chosen[o]
      end, list)
      local values = vim.tbl_map(function(o)
        return o.value
      end, taken)
      wrong = form.problem(question, values)
      if wrong then
        return again()
      end
      done(values)
    end)
  end
  again()
end

local other = { label = 'Something else…' } -- a choice can be answered with any text
local open = { label = 'Leave it open' }

--- Asks one question. Calls back with the values, or nil if the user cancels.
local function one(question, done)
  local list = options(question)
  if #list == 0 then
    return write(question, done)
  elseif question.multiSelect then
    return select_many(question, done)
  end
  local given = form.given(question)[1]
  for i, o in ipairs(list) do
    if o.value == given then -- the default comes first
      table.insert(list, 1, table.remove(list, i))
      break
    end
  end
  if form.takes_other(question) then
    list[#list + 1] = other
  end
  if not question.required then
    list[#list + 1] = open
  end
  vim.ui.select(list, { prompt = brief(question), kind = 'emendo.question', format_item = described }, function(option)
    if option == other then
      return write(question, done)
    end
    done(option and (option == open and {} or { option.value }))
  end)
end

--- Returns the answers in one line.
---@param answers {values: string[]}[]
local function summary(answers)
  local said, left = {}, 0
  for _, one_answer in ipairs(answers) do
    if one_answer.values[1] then
      said[#said + 1] = visible.line(table.concat(one_answer.values, ', '))
    else
      left = left + 1
    end
  end
  if left > 0 then
    said[#said + 1] = #answers == 1 and 'left open' or ('%d left open'):format(left)
  end
  return table.concat(said, '; ')
end

--- Asks the questions one after the other. If the user cancels one, all stay pending.
---@param q emendo.Question
---@param done fun(reply: table, outcome: string)
function M.ask(q, done)
  local answers = {}
  local function from(i)
    local question = q.params.questions[i]
    if not question then
      return done({ answers = answers }, summary(answers))
    end
    one(question, function(list)
      if list then
        answers[i] = { values = list }
        from(i + 1)
      end
    end)
  end
  from(1)
end

return M
