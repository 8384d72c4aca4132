/**
 * Load failures: code → stage and default hint. A retired code is never reused. A test compares the list with
 * docs/errors.md.
 */
export const STAGES = ['scan', 'build', 'start', 'import', 'contract', 'schema', 'register', 'run'] as const;
export type FailureStage = (typeof STAGES)[number];

export const FAILURE_CODES = {
  entry_missing: { stage: 'scan', hint: 'Put the code in extensions/<name>/extension.ts (or .mts, .js, .mjs, .py).' },
  entry_ambiguous: { stage: 'scan', hint: 'Keep one entry file for this extension and remove or rename the others.' },
  name_invalid: {
    stage: 'scan',
    hint: 'A name starts with a letter and continues with letters, digits, `_` or `-`, 64 characters at most. Rename the folder or file.',
  },
  unreadable: { stage: 'scan', hint: 'Give the user that runs the server permission to read this path.' },
  syntax_error: { stage: 'build', hint: 'Fix the marked syntax error and save; the file is loaded again automatically.' },
  import_unresolved: {
    stage: 'build',
    hint: 'Check the spelling and the path. A package must be installed where this file can reach it; then press Reload.',
  },
  runtime_missing: { stage: 'start', hint: 'Install the program that runs this extension, or correct its name, then press Reload.' },
  spawn_failed: {
    stage: 'start',
    hint: 'The process could not be started. Check the limits and permissions of the user that runs the server, then press Reload.',
  },
  start_timeout: {
    stage: 'start',
    hint: 'The process started but did not answer in time. Check the load of the machine, or raise LOAD_TIMEOUT_MS. Switchboard retries automatically.',
  },
  config_missing: {
    stage: 'start',
    hint: 'Set the named variable in the `.env` beside the entry file or in the environment, then press Reload.',
  },
  dependencies_missing: {
    stage: 'start',
    hint: 'Press Install on the page of the extension: it declares packages that are not installed.',
  },
  dependencies_failed: {
    stage: 'start',
    hint: 'The output says why the packages could not be installed. Fix the declaration or the server, then install again.',
  },
  import_error: { stage: 'import', hint: 'Top-level code threw. Fix the marked line and save.' },
  import_timeout: {
    stage: 'import',
    hint: 'The import timed out. Move slow work from the top level into execute.',
  },
  process_exited: {
    stage: 'import',
    hint: 'The file ended its own process while loading. Throw an error instead of exiting.',
  },
  export_missing: { stage: 'contract', hint: 'Export `TOOL` (one tool) or `TOOLS` (a list): `export const TOOL = { … }`.' },
  export_ambiguous: { stage: 'contract', hint: 'Export either `TOOL` or `TOOLS`, not both.' },
  tool_invalid: {
    stage: 'contract',
    hint: '`TOOL` is one object and `TOOLS` a list of objects, each with label, name, description, parameters and execute.',
  },
  fields_missing: {
    stage: 'contract',
    hint: 'Add the named fields. A tool has five: label, name, description, parameters, execute.',
  },
  field_invalid: { stage: 'contract', hint: 'Change the named field to the required type.' },
  execute_not_callable: { stage: 'contract', hint: 'Make `execute` a function: `execute(args, ctx) { … }`.' },
  run_missing: { stage: 'contract', hint: 'Export a function called `run`.' },
  channel_incomplete: {
    stage: 'contract',
    hint: 'A channel exports three functions: connect, recv and send. Add the named ones.',
  },
  parameters_invalid: { stage: 'schema', hint: 'Correct `parameters` at the named location.' },
  type_unsupported: { stage: 'schema', hint: 'Use a type that JSON can represent, for example a string, a number, a list or an object.' },
  duplicate_tool_name: { stage: 'register', hint: 'A tool name has one owner. Rename this tool or the other one.' },
  check_failed: { stage: 'register', hint: 'A required check failed. Fix the tool, or change the check.' },
  crash_loop: {
    stage: 'run',
    hint: 'It stopped three times in five minutes and is not restarted automatically. Fix the file, or press Restart.',
  },
  memory_limit: {
    stage: 'run',
    hint: 'It exceeded the memory limit and was stopped. Use less memory, or raise EXTENSION_MEMORY_MB.',
  },
  unresponsive: { stage: 'run', hint: 'It stopped responding and was killed. Look for an endless loop; long work must await regularly.' },
  server_sign_in_needed: {
    stage: 'start',
    hint: 'Press Connect on the page of the extension and sign in at the server, or set a key in `headers`.',
  },
  mcp_error: {
    stage: 'start',
    hint: 'The MCP server refused the connection or sent invalid messages. Check its command or address and its log.',
  },
} as const satisfies Record<string, { stage: FailureStage; hint: string }>;

export type FailureCode = keyof typeof FAILURE_CODES;
