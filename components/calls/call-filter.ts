import {
  type inferParserType,
  parseAsArrayOf,
  parseAsFloat,
  parseAsInteger,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs';
import type { CallListFilter } from '#lib/client/queries.ts';
import { CALL_ERROR_KINDS, CALL_SOURCES, CALL_STATUSES, type CallStatus } from '#lib/contract/states.ts';

export const FILTER_PARSERS = {
  q: parseAsString,
  status: parseAsArrayOf(parseAsStringLiteral(CALL_STATUSES)),
  source: parseAsStringLiteral(CALL_SOURCES),
  tool: parseAsString,
  extension: parseAsString,
  actor: parseAsString,
  replay_of: parseAsString,
  instance: parseAsString,
  error_kind: parseAsStringLiteral(CALL_ERROR_KINDS),
  revision: parseAsInteger,
  min_ms: parseAsFloat,
  max_ms: parseAsFloat,
  since: parseAsIsoDateTime,
  until: parseAsIsoDateTime,
};

export type FilterValues = inferParserType<typeof FILTER_PARSERS>;

export function listFilterOf(values: FilterValues): CallListFilter {
  return {
    q: values.q?.trim() || undefined,
    status: values.status === null || values.status.length === 0 ? undefined : values.status,
    source: values.source ?? undefined,
    tool: values.tool || undefined,
    extension: values.extension || undefined,
    actor: values.actor?.trim() || undefined,
    replay_of: values.replay_of || undefined,
    instance: values.instance || undefined,
    error_kind: values.error_kind ?? undefined,
    revision: values.revision ?? undefined,
    min_ms: values.min_ms ?? undefined,
    max_ms: values.max_ms ?? undefined,
    since: values.since?.toISOString(),
    until: values.until?.toISOString(),
  };
}

export function isFiltered(values: FilterValues): boolean {
  return Object.values(listFilterOf(values)).some((value) => value !== undefined);
}

export function newerThan(ids: readonly string[], seen: string | null): number {
  return seen === null ? 0 : Math.max(0, ids.indexOf(seen));
}

const FAILED: readonly CallStatus[] = ['failed', 'timed_out'];

export function showsFailed({ status }: Pick<FilterValues, 'status'>): boolean {
  return status?.length === FAILED.length && FAILED.every((each) => status.includes(each));
}

/** Statuses that count as failed are toggled together. */
export function toggledStatuses(status: FilterValues['status'], pressed: CallStatus | 'any_failure'): CallStatus[] | null {
  const now = status ?? [];
  const next =
    pressed === 'any_failure'
      ? showsFailed({ status })
        ? []
        : [...FAILED]
      : CALL_STATUSES.filter((each) => now.includes(each) !== (each === pressed));
  return next.length === 0 ? null : next;
}

export const AGENT_MISTAKES = { source: 'mcp', error_kind: 'invalid_parameters' } as const;

export function showsAgentMistakes(values: FilterValues): boolean {
  return values.source === AGENT_MISTAKES.source && values.error_kind === AGENT_MISTAKES.error_kind;
}

const MINUTE = 60_000;
export const SPANS = [
  { words: 'Last 15 minutes', ms: 15 * MINUTE },
  { words: 'Last hour', ms: 60 * MINUTE },
  { words: 'Last 24 hours', ms: 24 * 60 * MINUTE },
  { words: 'Last 7 days', ms: 7 * 24 * 60 * MINUTE },
] as const;
