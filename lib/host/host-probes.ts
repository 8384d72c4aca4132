import { randomInt } from 'node:crypto';
import { callSchema } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ProbeReport, ProbeRequest } from '#lib/contract/probe.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Problem, Result } from '#lib/contract/result.ts';
import type { CallSource } from '#lib/contract/call.ts';
import type { HostCalls, HostTools } from './host.ts';

/**
 * Probes of tools on behalf of the dashboard and the API. What can go wrong: two at once on one tool would judge each other's
 * slowness and crashes (the second is refused); one that goes on for ever (ends with its time, or when whoever asked goes
 * away); a call that is refused, which ends it with that refusal. Nothing of it is kept but its calls.
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
    // Large, and wanted by few: loaded when it is needed.
    const { probeTool } = await import('#lib/probe/probe-tool.ts');
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
    const report = await probeTool(callee, found.value, {
      runs: request.runs,
      seed: request.seed ?? randomInt(2_147_483_647),
      timeoutMs: request.timeout_ms,
      slowMs: request.slow_ms,
      signal: AbortSignal.any([signal, time, ending.signal]),
    });
    if (refusal !== null) return { ok: false, problem: refusal };
    return ok({ ...report, findings: [...report.findings], complete: !time.aborted && !signal.aborted });
  }

  return {
    async run(name, request, source, signal) {
      const tool = tools.get(name);
      if (!tool.ok) return tool;
      if (tool.value.annotations.destructiveHint === true && !request.destructive)
        return refuse(
          'body_fields_invalid',
          `${name} says of itself that it may change or delete what is there. Send "destructive": true to probe it all the same.`,
        );
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
