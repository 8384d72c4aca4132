import { randomUUID } from 'node:crypto';
import type { Call } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { callText } from './call-text.ts';
import { readCallArguments } from './call-arguments.ts';
import { findCallee, findTool } from './callee.ts';
import { EXIT, wrongUsage } from './command.ts';
import type { Command, ExitCode } from './command.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions } from './read-options.ts';

const EXITS: Readonly<Record<Call['status'], ExitCode>> = {
  running: EXIT.unavailable,
  succeeded: EXIT.ok,
  failed: EXIT.failed,
  timed_out: EXIT.timedOut,
  cancelled: EXIT.cancelled,
};

export const callCommand: Command = {
  name: 'call',
  summary: 'Call a tool and print its result',
  help: `Calls a tool and prints its result: text as it is, anything else as JSON. The call is on record, with the source \`cli\`.
A server that answers is asked, and asked again when it is busy; where none does, the extensions are loaded for this one call.

Usage: switchboard call <tool> ['<json>' | - | @file | name=value …] [options]

  '<json>'       the arguments as one JSON object; - reads it from stdin, @file from a file
  name=value     one argument; the value is JSON where it reads as such and the tool does not want a text
  --url URL      the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) when left out
  --alone        do not look for a server
  --dir FOLDER   the folder of extensions, without a server; EXTENSIONS_DIR or \`extensions\` when left out
  --timeout S    the most seconds the call may take
  --revision N   call an earlier revision of its extension
  --actor NAME   who is calling, for the history
  --logs         print the call's log to stderr
  --json         print the whole record of the call

Ends with 0 when the call succeeded, 1 when it failed, 124 when its time was up, 130 when it was cancelled, 2 when the command
line is wrong, 3 when it could not be called.

  switchboard call get_weather city=Oslo days=2
  switchboard call convert_units '{"value": 3, "from": "km", "to": "mi"}'
  echo '{"city": "Oslo"}' | switchboard call get_weather - --json | jq .duration_ms
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      url: { type: 'string' },
      alone: { type: 'boolean' },
      dir: { type: 'string' },
      timeout: { type: 'string' },
      revision: { type: 'string' },
      actor: { type: 'string' },
      logs: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [name, ...words] = positionals;
    if (name === undefined) throw wrongUsage('Name the tool to be called: `switchboard call get_weather city=Oslo`.');
    if (values.url !== undefined && (values.alone || values.dir !== undefined))
      throw wrongUsage('--url asks a server, --alone and --dir do without one; use one of them.');
    const timeout = values.timeout === undefined ? undefined : readNumber('--timeout', values.timeout, 1, LIMITS.callTimeoutMostMs / 1_000);
    const revision = values.revision === undefined ? undefined : readNumber('--revision', values.revision, 1, 9_999_999_999);

    const isAlone = values.alone === true || values.dir !== undefined;
    const callee = await findCallee(context, { url: values.url, dir: values.dir, isAlone });
    try {
      const tool = findTool(name, await callee.tools());
      const call = await callee.call(name, {
        arguments: await readCallArguments(words, tool.parameters, context),
        timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
        revision,
        actor: values.actor,
        key: randomUUID(),
      });
      if (values.logs) for (const line of callText.logs(call)) context.note(line);
      if (values.json) await context.print(`${jsonText(call, 2)}\n`);
      else if (call.status === 'succeeded') await context.print(callText.result(call.result, context.isTerminal));
      else context.note(callText.error(call));
      return EXITS[call.status];
    } finally {
      await callee.close();
    }
  },
};
