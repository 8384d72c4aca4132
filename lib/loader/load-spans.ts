import type { Span, Tracer } from '#lib/contract/tracing.ts';
import type { Candidate } from './build.ts';
import type { LoadResult, LoadSteps } from './load-candidate.ts';

const NO_STEPS: LoadSteps = { begin: () => undefined };

/** One span for a load and one for each of its steps; with ids and codes, without sources. */
export async function traceLoad(
  tracer: Tracer | null,
  { id, runtime }: Candidate,
  cause: string,
  load: (steps: LoadSteps) => Promise<LoadResult>,
): Promise<LoadResult> {
  if (tracer === null) return load(NO_STEPS);
  const attributes = { 'switchboard.extension': id, 'switchboard.runtime': runtime, 'switchboard.cause': cause };
  const span = tracer.begin(`load ${id}`, { attributes });
  let step: Span | null = null;
  const result = await load({
    begin(name) {
      step?.end();
      step = tracer.begin(name, { parent: span, attributes: { 'switchboard.extension': id } });
    },
  });
  const error = result.kind === 'failed' ? result.failure.code : null;
  endStep(step, error);
  span.set({ 'switchboard.outcome': outcomeOf(result), ...(error === null ? {} : { 'error.type': error }) });
  span.end(error);
  return result;
}

function endStep(step: Span | null, error: string | null): void {
  step?.end(error);
}

/** `revived`: an earlier description is trusted, and nothing ran. */
function outcomeOf(result: LoadResult): string {
  return result.kind === 'loaded' && result.isRevived ? 'revived' : result.kind;
}
