-- What the plugin says of its own: names of its keys and commands, its controls, and what it
-- says while no server runs. All else comes from the server.
return {
  answers = '(a number or <CR> here; :Emendo permission)',
  copied = 'copied',
  done = 'Done',
  edit = ':w takes the text over, :q leaves it as it was',
  empty_queue = 'no question is queued',
  find = 'Find: ',
  --- What helps against an obstacle, by the id of its first action.
  help = {
    signIn = 'Run `emendo auth login` in a terminal.',
    trust = ':Emendo trust shows what it would start, and asks.',
    log = ':checkhealth emendo says more.',
  },
  install = 'Install emendo and put it on the PATH, or set cmd in setup(); :checkhealth emendo says more.',
  key = {
    send = 'sends the question',
    name = 'names a file, a command',
    ask = 'asks about the selected lines',
    next = 'next and previous change',
    decide = 'accepts, rejects the change',
    toggle = 'opens and closes the panel',
    help = 'everything else',
  },
  keys = 'Keys',
  leave_open = 'Leave it open',
  missing = 'Missing',
  no_action = 'there is nothing to do with this',
  no_program = 'There is no program %q',
  not_found = 'this is not in the conversation',
  nothing_runs = 'no turn is running',
  other = 'Something else…',
  sees = 'emendo sees',
  stopped = 'does not run',
  sign_in = 'run `emendo auth login` in a terminal; :checkhealth emendo says more',
}
