import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';
import type { ExtensionLogPage } from '#lib/contract/extension-reports.ts';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { readQuery, request } from './request.ts';

/* Data of an extension page besides the extension itself, loaded when shown. None of it has events. */

const reports = () => import('#lib/contract/extension-reports.ts');
const REPORT_SHAPES = {
  logPage: async () => (await reports()).extensionLogPageSchema,
  resources: async () => (await reports()).extensionResourcesSchema,
  settings: async () => (await reports()).extensionSettingsSchema,
};

const LOG_POLL_MS = 1_000;
const RESOURCES_POLL_MS = 5_000;
/** Lines kept in the page, which may be open for days; the server keeps fewer bytes. */
export const LOG_LINES_KEPT = 2_000;

/** A line or a marker between lines. `number` increments. */
export type LogEntry =
  | { readonly kind: 'line'; readonly number: number; readonly line: ExtensionLogLine }
  | { readonly kind: 'revision'; readonly number: number; readonly revision: number | null }
  | { readonly kind: 'dropped'; readonly number: number; readonly count: number };

/** The log since the page was opened, oldest first. */
export interface LogTail {
  readonly entries: readonly LogEntry[];
  readonly cursor: string;
  readonly revision: number | null;
}

export function extensionLogQuery(id: string) {
  const queryKey = ['extension-log', id];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }: { signal: AbortSignal; client: QueryClient }): Promise<LogTail> => {
      const known = client.getQueryData<LogTail>(queryKey);
      const search = known === undefined ? '' : `?${new URLSearchParams({ after: known.cursor })}`;
      return addToTail(known, await request(`${API.extensionLogs(id)}${search}`, REPORT_SHAPES.logPage, { signal }));
    },
    refetchInterval: LOG_POLL_MS,
    staleTime: 0,
    structuralSharing: false,
  });
}

/** The log with new lines; the same object without any. */
export function addToTail(known: LogTail | undefined, page: ExtensionLogPage): LogTail {
  if (known !== undefined && page.lines.length === 0 && page.dropped === 0 && !page.restarted) {
    return page.cursor === known.cursor ? known : { ...known, cursor: page.cursor };
  }
  const entries: LogEntry[] = [...(known?.entries ?? [])];
  let number = (entries.at(-1)?.number ?? 0) + 1;
  if (page.restarted) entries.push({ kind: 'revision', number: number++, revision: page.revision });
  if (page.dropped > 0) entries.push({ kind: 'dropped', number: number++, count: page.dropped });
  for (const line of page.lines) entries.push({ kind: 'line', number: number++, line });
  return { entries: entries.slice(-LOG_LINES_KEPT), cursor: page.cursor, revision: page.revision };
}

export function extensionResourcesQuery(id: string) {
  return queryOptions({
    queryKey: ['extension-resources', id],
    queryFn: ({ signal }) => request(API.extensionResources(id), REPORT_SHAPES.resources, { signal }),
    refetchInterval: RESOURCES_POLL_MS,
    staleTime: RESOURCES_POLL_MS,
  });
}

/** Invalidated by changes of the extension, for example a pin. */
export function extensionSettingsQuery(id: string) {
  return readQuery([...keys.extension(id), 'settings'], API.extensionSettings(id), REPORT_SHAPES.settings);
}

const HEALTH_ADDRESS = '/healthz';
const healthShape = async () => (await import('#lib/contract/health.ts')).healthSchema;

/** Server health and isolation, read on demand: no event exists for them. */
export const healthQuery = () => readQuery(['health'], HEALTH_ADDRESS, healthShape);
