import { randomInt } from 'node:crypto';
import { callSchema } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { needsYesToProbe, whyYes } from '#lib/contract/probe-rules.ts';
import type { ProbeReport, ProbeRequest } from '#lib/contract/probe.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Problem, Result } from '#lib/contract/result.ts';
import type { CallSource } from '#lib/contract/call.ts';
import type { HostCalls, HostTools } from './host.ts';

/**
 * Probes of tools on behalf of the dashboard and the API. What can go wrong: two at once on one tool would judge each other's
 * slowness and crashes (the second is refused); one that goes on for ever (ends with its time, or when whoever asked goes
 * away); a call that is refused, which ends it with that refusal; a schema that takes for ever to make arguments for (in a thread of
 * its own, which is ended). Nothing of it is kept but its calls.
 */
export interface HostProbes {
  /** Resolves with what was found. Aborting `signal` ends it after the call under way. */
  run(tool: string, request: ProbeRequest, source: CallSource, signal: AbortSignal): Promise<Result<ProbeReport>>;
}

const PROBE_ACTOR = { name: 'probe' };

export function createHostProbes(tools: Pick<HostTools, 'get'>, calls: Pick<HostCalls, 'start'>): HostProbes {
  const running = new Set<string>();

  async function probe(name: string, request: ProbeRequest, source: CallSource, signal: AbortSignal): Promise<Result<ProbeReport>> {
    const found = tools.get(name);
    if (!found.ok) return found;
    const { runProbe } = await import('#lib/probe/run-probe.ts');
    const ending = new AbortController();
    const time = AbortSignal.timeout(LIMITS.probeMs);
    let refusal: Problem | null = null;
    const callee = {
      async call(tool: string, given: Readonly<Record<string, unknown>>, timeoutMs: number) {
        const started = await calls.start({ tool, arguments: given, timeoutMs, source, actor: PROBE_ACTOR });
        if (started.ok) return callSchema.parse(JSON.parse(await started.value.finished));
        refusal = started.problem;
        ending.abort();
        return null;
      },
    };
    const report = await runProbe(callee, found.value, {
      runs: request.runs,
      seed: request.seed ?? randomInt(2_147_483_647),
      timeoutMs: request.timeout_ms,
      slowMs: request.slow_ms,
      signal: AbortSignal.any([signal, time, ending.signal]),
    });
    return refusal === null ? ok(report) : { ok: false, problem: refusal };
  }

  return {
    async run(name, request, source, signal) {
      const tool = tools.get(name);
      if (!tool.ok) return tool;
      if (!tool.value.available)
        return refuse(
          'state_conflict',
          `${name} cannot be called now, so it cannot be probed: ${tool.value.unavailable_reason ?? 'nothing runs it.'}`,
        );
      if (needsYesToProbe(tool.value) && !request.destructive)
        return refuse('body_fields_invalid', `${whyYes(tool.value)} Send "destructive": true to probe it all the same.`);
      if (running.has(name)) return refuse('state_conflict', `${name} is being probed already. Wait until that has ended.`);
      running.add(name);
      try {
        return await probe(name, request, source, signal);
      } finally {
        running.delete(name);
      }
    },
  };
}
