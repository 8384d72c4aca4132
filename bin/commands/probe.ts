import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '#lib/contract/call.ts';
import { checkOfFinding, needsYesToProbe, whyYes } from '#lib/contract/probe-rules.ts';
import type { ProbeReport } from '#lib/contract/probe.ts';
import { leaveOutAt } from '#lib/contract/replace-secrets.ts';
import type { SaveCall, SavedCall } from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { noteOnLateErrors } from '#lib/probe/late-errors.ts';
import { runProbe } from '#lib/probe/run-probe.ts';
import { findCallee, findTool } from './callee.ts';
import type { Asked, Callee } from './callee.ts';
import { withoutCommands } from './check-annotations.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { probeAnnotations, probeText } from './probe-text.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions } from './read-options.ts';

const MOST_SEED = 2_147_483_647;

export const probeCommand: Command = {
  name: 'probe',
  summary: 'Call tools with made-up arguments, and show what breaks them',
  help: `Calls tools with arguments made up from their schemas: edges, unicode, empty and deep ones, and some that do not fit. A
tool may refuse with an error; it may not crash, hang, be slow, break its own output_schema, give what is not JSON, tell a
stack trace, or take what does not fit. What is found is made as small as it gets.

The tools are really called, and each call is on record. One that says of itself that it destroys is left out, as is one of an
MCP server that does not say that it does not.

Usage: switchboard probe <tool> [tool …] [options]

  --runs N        calls with arguments that fit, for each tool; 100 when left out
  --seed N        the same arguments as in the run that printed this seed
  --timeout S     a call that takes longer hangs; 5 when left out
  --slow MS       a call that takes longer is slow; 2000 when left out
  --destructive   also tools that say that they destroy, or of MCP servers do not say that they do not
  --save          keep each finding as a saved call that does not pass until it is mended, unless there is the same already
  --url URL       the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) when left out
  --alone         do not look for a server
  --dir FOLDER    the folder of extensions, without a server; EXTENSIONS_DIR or \`extensions\` when left out
  --json          a list with one report for each tool: {tool, calls, answered, seed, findings, complete, notes, …}
  --github        findings as annotations of GitHub Actions, before the text

Ends with 0 when nothing was found, 1 when something was, 2 when the command line is wrong, 3 when a tool could not be probed,
was left out, or answered fewer calls than were asked for.

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
      save: { type: 'boolean' },
      json: { type: 'boolean' },
      github: { type: 'boolean' },
    });
    if (positionals.length === 0) throw wrongUsage('Name the tools to be probed: they are really called.');
    if (values.url !== undefined && (values.alone || values.dir !== undefined))
      throw wrongUsage('--url asks a server, --alone and --dir do without one; use one of them.');
    if (values.json && values.github) throw wrongUsage('--json and --github are two ways to print the same; use one of them.');
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
      const named = [...new Set(positionals)].map((name) => findTool(name, known));
      for (const tool of named)
        if (!tool.available) throw cannotDo(`${tool.name} cannot be called now: ${tool.unavailable_reason ?? 'nothing runs it.'}`);
      const tools = named.filter((tool) => mayProbe(tool, values.destructive === true, context));
      const reports: ProbeReport[] = [];
      for (const tool of tools) {
        const before = await callee.logs(tool.extension);
        const probed = await runProbe({ call: (...asked) => callRevived(callee, tool, ...asked) }, tool, options);
        if (context.signal.aborted) return EXIT.cancelled;
        const log = await callee.logs(tool.extension, before?.cursor);
        const late = noteOnLateErrors(log?.lines ?? []);
        const report = late === null ? probed : { ...probed, notes: [...probed.notes, late] };
        reports.push(report);
        if (!values.json) {
          const text = probeText(report, context);
          await context.print(values.github ? `${probeAnnotations(report)}${withoutCommands(text)}` : text);
        }
        if (values.save) await saveFindings(report, callee, context);
      }
      if (values.json) await context.print(`${jsonText(reports, 2)}\n`);
      if (reports.some((report) => report.findings.length > 0)) return EXIT.failed;
      return reports.length === named.length && reports.every((report) => report.complete) ? EXIT.ok : EXIT.unavailable;
    } finally {
      await callee.close();
    }
  },
};

/** What crashes is made small by crashing again and again, so here it is started again as often as that takes. */
async function callRevived(callee: Callee, { extension }: Tool, name: string, given: Asked['arguments'], timeoutMs: number): Promise<Call> {
  const asked: Asked = { arguments: given, timeoutMs, revision: undefined, actor: 'probe' };
  const call = await callee.call(name, asked);
  if (call.error?.kind !== 'extension_unavailable' || callee.revive === undefined) return call;
  await callee.revive(extension);
  return callee.call(name, asked);
}

function mayProbe(tool: Tool, isAllowed: boolean, context: CommandContext): boolean {
  if (isAllowed || !needsYesToProbe(tool)) return true;
  context.note(`${whyYes(tool)} It is left out; --destructive probes it all the same.`);
  return false;
}

/** What is there already is kept as it is: with the name, the runs and the history that it has. */
async function saveFindings(report: ProbeReport, callee: Callee, context: CommandContext): Promise<void> {
  const kept = report.findings.length === 0 ? [] : [...(await callee.saved(report.tool))];
  for (const finding of report.findings) {
    const check = checkOfFinding(report, finding);
    const same = kept.find((saved) => isSameCheck(saved, check));
    if (same === undefined) kept.push(await callee.save(check));
    context.note(`${same === undefined ? 'Saved' : 'Saved already'} for ${report.tool}: ${(same ?? check).name}`);
  }
}

function isSameCheck(saved: SavedCall, { arguments: given, timeout_ms: timeoutMs, expectation }: SaveCall): boolean {
  const kept = [saved.arguments, saved.timeout_ms, saved.expectation];
  return isDeepStrictEqual(kept, [leaveOutAt(given, saved.left_out), timeoutMs, expectation]);
}
