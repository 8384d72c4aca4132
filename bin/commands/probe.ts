import { randomInt } from 'node:crypto';
import type { ProbeReport } from '#lib/contract/probe.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import { probeTool } from '#lib/probe/probe-tool.ts';
import { findCallee, findTool } from './callee.ts';
import { EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { readNumber, readOptions } from './read-options.ts';

const MOST_SEED = 2_147_483_647;

export const probeCommand: Command = {
  name: 'probe',
  summary: 'Call tools with made-up arguments, and show what breaks them',
  help: `Calls tools with arguments made up from their schemas: edges, unicode, empty and deep ones, and some that do not fit. A
tool may refuse with an error; it may not crash, hang, be slow, break its own output_schema, give what is not JSON, tell a
stack trace, or take what does not fit. What is found is made as small as it gets.

The tools are really called, and each call is on record. One that says of itself that it destroys is left out.

Usage: switchboard probe <tool> [tool …] [options]

  --runs N        calls with arguments that fit, for each tool; 100 when left out
  --seed N        the same arguments as in the run that printed this seed
  --timeout S     a call that takes longer hangs; 5 when left out
  --slow MS       a call that takes longer is slow; 2000 when left out
  --destructive   also tools that say that they destroy
  --url URL       the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) when left out
  --alone         do not look for a server
  --dir FOLDER    the folder of extensions, without a server; EXTENSIONS_DIR or \`extensions\` when left out
  --json          a list with one object for each tool: {tool, calls, seed, findings}

Ends with 0 when nothing was found, 1 when something was, 2 when the command line is wrong, 3 when it could not be probed.

  switchboard probe measure_text --dir extensions
  switchboard probe get_weather convert_units --runs 500
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      runs: { type: 'string' },
      seed: { type: 'string' },
      timeout: { type: 'string' },
      slow: { type: 'string' },
      destructive: { type: 'boolean' },
      url: { type: 'string' },
      alone: { type: 'boolean' },
      dir: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (positionals.length === 0) throw wrongUsage('Name the tools to be probed: they are really called.');
    if (values.url !== undefined && (values.alone || values.dir !== undefined))
      throw wrongUsage('--url asks a server, --alone and --dir do without one; use one of them.');
    const options = {
      runs: readNumber('--runs', values.runs ?? '100', 1, 100_000),
      seed: readNumber('--seed', values.seed ?? String(randomInt(MOST_SEED)), 0, MOST_SEED),
      timeoutMs: readNumber('--timeout', values.timeout ?? '5', 1, 3_600) * 1_000,
      slowMs: readNumber('--slow', values.slow ?? '2000', 1, 3_600_000),
      signal: context.signal,
    };

    const callee = await findCallee(context, {
      url: values.url,
      dir: values.dir,
      isAlone: values.alone === true || values.dir !== undefined,
    });
    try {
      const known = await callee.tools();
      const tools = positionals.map((name) => findTool(name, known)).filter((tool) => mayProbe(tool, values.destructive === true, context));
      const reports: Omit<ProbeReport, 'complete'>[] = [];
      const asked = {
        call: (tool: string, given: Readonly<Record<string, unknown>>, timeoutMs: number) =>
          callee.call(tool, { arguments: given, timeoutMs, revision: undefined, actor: 'probe' }),
      };
      for (const tool of tools) {
        const report = await probeTool(asked, tool, options);
        if (context.signal.aborted) return EXIT.cancelled;
        reports.push(report);
        if (!values.json) await context.print(reportText(report, context));
      }
      if (values.json) await context.print(`${JSON.stringify(reports, null, 2)}\n`);
      return reports.some((report) => report.findings.length > 0) ? EXIT.failed : EXIT.ok;
    } finally {
      await callee.close();
    }
  },
};

function mayProbe({ name, annotations }: Tool, isAllowed: boolean, context: CommandContext): boolean {
  if (isAllowed || annotations.destructiveHint !== true) return true;
  context.note(`${name} says that it destroys, and is left out; --destructive probes it all the same.`);
  return false;
}

function reportText({ tool, calls, seed, findings }: Omit<ProbeReport, 'complete'>, context: CommandContext): string {
  const sum = `${context.paint('bold', tool)}  ${calls} calls, seed ${seed}`;
  if (findings.length === 0) return `${context.paint('green', 'ok')}  ${sum}\n`;
  const blocks = findings.map(({ kind, arguments: given, message, call_id: id }) => {
    const lines = escapeControl(JSON.stringify(given));
    return `${context.paint('red', kind)}  ${sum}\n\n  with ${lines}\n  ${message.split('\n').map(escapeControl).join('\n  ')}\n  call ${id}\n\n`;
  });
  return blocks.join('');
}
