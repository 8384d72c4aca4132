import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '#lib/contract/call.ts';
import { checkOfFinding, findingInWords } from '#lib/contract/probe-rules.ts';
import { needsProbeConfirmation, confirmationReason } from '#lib/contract/tool-hints.ts';
import type { FoundCheck } from '#lib/contract/probe-rules.ts';
import type { ProbeReport } from '#lib/contract/probe.ts';
import { leaveOutAt } from '#lib/contract/replace-secrets.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { noteOnLateErrors, runProbe } from '#lib/probe/run-probe.ts';
import { findCallee, findTool } from './callee.ts';
import type { Asked, Callee } from './callee.ts';
import { withoutCommands, annotation } from './check-annotations.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions } from './read-options.ts';
import { escapeControl } from '#lib/host/escape-control.ts';

const MOST_SEED = 2_147_483_647;

export const probeCommand: Command = {
  name: 'probe',
  summary: 'Call tools with generated arguments, and show what breaks them',
  help: `Calls tools with arguments generated from their schemas: edge cases, Unicode, empty and deep values, and some invalid ones. A
tool may reject them with an error. Findings are crashes, hangs, slow calls, results that break the output_schema or are not
JSON, stack traces in messages, and accepted invalid arguments. Findings are shrunk.

The calls are real and recorded. Destructive tools are skipped, and so are tools of MCP servers without hints.

Usage: switchboard probe <tool> [tool …] [options]

  --runs N        valid calls per tool; 100 by default
  --seed N        repeat the run with this seed
  --timeout S     seconds until a call counts as a hang; 5 by default
  --slow MS       milliseconds until a call counts as slow; 2000 by default
  --destructive   also probe destructive tools, and those of MCP servers without hints
  --save          save each finding as a check that passes once it is fixed
  --url URL       the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) by default
  --alone         use no server
  --dir FOLDER    extensions folder, without a server; EXTENSIONS_DIR or \`extensions\` by default
  --json          a list with one report per tool: {tool, calls, answered, seed, findings, complete, notes, …}
  --github        also print annotations for GitHub Actions

Exit codes: 0 no findings, 1 findings, 2 invalid command line, 3 a tool was skipped, not probed, or answered too few calls.

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
    if (positionals.length === 0) throw wrongUsage('Name the tools to probe. The calls are real.');
    if (values.url !== undefined && (values.alone || values.dir !== undefined))
      throw wrongUsage('--url uses a server, --alone and --dir do not; use one of them.');
    if (values.json && values.github) throw wrongUsage('Use either --json or --github.');
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

/** Shrinking a crash needs many crashes, so the extension is restarted without limit. */
async function callRevived(callee: Callee, { extension }: Tool, name: string, given: Asked['arguments'], timeoutMs: number): Promise<Call> {
  const asked: Asked = { arguments: given, timeoutMs, revision: undefined, actor: 'probe' };
  const call = await callee.call(name, asked);
  if (call.error?.kind !== 'extension_unavailable' || callee.revive === undefined) return call;
  await callee.revive(extension);
  return callee.call(name, asked);
}

function mayProbe(tool: Tool, isAllowed: boolean, context: CommandContext): boolean {
  if (isAllowed || !needsProbeConfirmation(tool)) return true;
  context.note(`${confirmationReason(tool)} Skipped; use --destructive to probe it.`);
  return false;
}

/** Existing saved calls are not changed. */
async function saveFindings(report: ProbeReport, callee: Callee, context: CommandContext): Promise<void> {
  const kept = report.findings.length === 0 ? [] : [...(await callee.saved(report.tool))];
  for (const finding of report.findings) {
    const check = checkOfFinding(report, finding);
    const same = kept.find((saved) => isSameCheck(saved, check));
    if (same === undefined) kept.push(await callee.save(check));
    context.note(`${same === undefined ? 'Saved' : 'Saved already'} for ${report.tool}: ${(same ?? check).name}`);
  }
}

function isSameCheck(saved: SavedCall, { arguments: given, timeout_ms: timeoutMs, expectation }: FoundCheck): boolean {
  const kept = [saved.arguments, saved.timeout_ms, saved.expectation];
  return isDeepStrictEqual(kept, [leaveOutAt(given, saved.left_out), timeoutMs, expectation]);
}

/** A report as text. Control characters from the tool are escaped. */
function probeText({ tool, calls, seed, findings, complete, notes }: ProbeReport, { paint }: Pick<CommandContext, 'paint'>): string {
  const sum = `${paint('bold', tool)}  ${calls} ${calls === 1 ? 'call' : 'calls'}, seed ${seed}`;
  const said = notes.map((note) => `  ${escapeControl(note)}\n`).join('');
  if (findings.length === 0) return `${complete ? paint('green', 'ok') : paint('yellow', 'incomplete')}  ${sum}\n${said}`;
  const blocks = findings.map(({ kind, arguments: given, message, call_id: id }) => {
    const lines = escapeControl(JSON.stringify(given));
    return `${paint('red', kind)}  ${sum}\n\n  with ${lines}\n  ${message.split('\n').map(escapeControl).join('\n  ')}\n  call ${id}\n\n`;
  });
  return blocks.join('') + said;
}

/** As workflow commands of GitHub Actions. */
function probeAnnotations({ tool, findings, complete, notes }: ProbeReport): string {
  const found = findings.map(({ kind, arguments: given, message }) =>
    annotation('error', { title: `${tool}: ${kind}` }, `${findingInWords(kind)}.\nWith ${JSON.stringify(given)}\n${message}`),
  );
  const said = complete ? [] : [annotation('warning', { title: `${tool}: incomplete` }, notes.join('\n'))];
  return [...found, ...said].map((line) => `${line}\n`).join('');
}
