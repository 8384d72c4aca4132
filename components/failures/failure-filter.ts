import { parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { FailureListFilter } from '#lib/client/failure-queries.ts';
import { GROUP_STATUSES } from '#lib/contract/group-states.ts';

/** Whose failures: those of the person who looks, or those that nobody has. A name stands for itself. */
export const NOBODY = 'nobody';
export const ME = 'me';

/** The filter as it stands in the address. Without a status: what is to be done, open and then acknowledged. */
export const FILTER_PARSERS = {
  status: parseAsStringLiteral(GROUP_STATUSES),
  extension: parseAsString,
  who: parseAsString,
  regression: parseAsBoolean,
  mentions: parseAsStringLiteral([ME]),
  q: parseAsString,
};

export interface FilterValues {
  readonly status: (typeof GROUP_STATUSES)[number] | null;
  readonly extension: string | null;
  readonly who: string | null;
  readonly regression: boolean | null;
  /** Of a team: those that mention the person who looks. */
  readonly mentions: typeof ME | null;
  readonly q: string | null;
}

/** The same for the API, but for the status: a page shows one list for each. */
export function listFilterOf(values: FilterValues, me: string | null): Omit<FailureListFilter, 'status'> {
  return {
    extension: values.extension || undefined,
    assignee: values.who === null ? undefined : values.who === NOBODY ? '' : values.who === ME ? (me ?? '') : values.who,
    regression: values.regression === true ? 'true' : undefined,
    mentions: values.mentions ?? undefined,
    q: values.q?.trim() || undefined,
  };
}

/** The lists that a page shows, in order. */
export function statusesOf(values: FilterValues): readonly (typeof GROUP_STATUSES)[number][] {
  return values.status === null ? ['open', 'acknowledged'] : [values.status];
}

export function isFiltered(values: FilterValues): boolean {
  return Object.values(values).some((value) => value !== null && value !== '' && value !== false);
}
