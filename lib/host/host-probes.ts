import { randomInt } from 'node:crypto';
import { callSchema } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { needsProbeConfirmation, confirmationReason } from '#lib/contract/tool-hints.ts';
import type { ProbeReport, ProbeRequest } from '#lib/contract/probe.ts';
import { ok, type Problem, refuse, type Result } from '#lib/contract/result.ts';
import type { ExtensionLogPage } from '#lib/contract/extension-reports.ts';
import type { HostCalls, HostExtensions, HostProbes, HostTools, ProbeAsker } from './host.ts';

/**
 * Probes of tools for the dashboard and the API. What can go wrong:
 * - two probes of one tool would measure each other's load and crashes: the second is refused;
 * - an endless probe: it ends with its time limit, or when the caller disconnects;
 * - a refused call: ends the probe with that refusal;
 * - a schema for which generating arguments never ends: it runs in a separate thread, which is terminated.
 * Only its calls are stored.
 */
const PROBE_ACTOR = { name: 'probe' };

export function createHostProbes(
  tools: Pick<HostTools, 'get'>,
  calls: Pick<HostCalls, 'start'>,
  extensions: Pick<HostExtensions, 'logs'>,
): HostProbes {
  const running = new Set<string>();

  function logOf(extension: string, after: string | null): ExtensionLogPage | null {
    const page = extensions.logs(extension, after === null ? {} : { after });
    return page.ok ? page.value : null;
  }

  async function probe(
    name: string,
    request: ProbeRequest,
    { source, mayReadLog }: ProbeAsker,
    signal: AbortSignal,
  ): Promise<Result<ProbeReport>> {
    const found = tools.get(name);
    if (!found.ok) return found;
    const { extension } = found.value;
    const { runProbe, noteOnLateErrors } = await import('#lib/probe/run-probe.ts');
    const ending = new AbortController();
    const time = AbortSignal.timeout(LIMITS.probeMs);
    let refusal: Problem | null = null;
    const callee = {
      async call(tool: string, given: Readonly<Record<string, unknown>>, timeoutMs: number) {
        const started = await calls.start({ tool, arguments: given, timeoutMs, source, actor: PROBE_ACTOR });
        if (started.ok) return callSchema.parse(parseExactJson(await started.value.finished));
        refusal = started.problem;
        ending.abort();
        return null;
      },
    };
    const before = mayReadLog ? logOf(extension, null) : null;
    const report = await runProbe(callee, found.value, {
      runs: request.runs,
      seed: request.seed ?? randomInt(2_147_483_647),
      timeoutMs: request.timeout_ms,
      slowMs: request.slow_ms,
      signal: AbortSignal.any([signal, time, ending.signal]),
    });
    if (refusal !== null) return { ok: false, problem: refusal };
    const late = before === null ? null : noteOnLateErrors(logOf(extension, before.cursor)?.lines ?? []);
    return ok(late === null ? report : { ...report, notes: [...report.notes, late] });
  }

  return {
    async run(name, request, asker, signal) {
      const tool = tools.get(name);
      if (!tool.ok) return tool;
      if (!tool.value.available)
        return refuse(
          'state_conflict',
          `${name} cannot be called now, so it cannot be probed: ${tool.value.unavailable_reason ?? 'no process runs it.'}`,
        );
      if (needsProbeConfirmation(tool.value) && !request.destructive)
        return refuse('body_fields_invalid', `${confirmationReason(tool.value)} Send "destructive": true to probe it anyway.`);
      if (running.has(name)) return refuse('state_conflict', `${name} is already being probed. Wait until the probe has ended.`);
      running.add(name);
      try {
        return await probe(name, request, asker, signal);
      } finally {
        running.delete(name);
      }
    },
  };
}
