'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { Select } from '#components/ui/Field.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { StateChips } from '#components/ui/StateChips.tsx';
import { queries } from '#lib/client/queries.ts';
import { EXTENSION_KINDS, EXTENSION_STATES } from '#lib/contract/extension-states.ts';
import { countStates, filterExtensions, sortExtensions } from './extension-filter.ts';
import { kindInWords } from './extension-words.ts';
import { ExtensionTable } from './ExtensionTable.tsx';
import { NewExtension } from './NewExtension.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

/** The list comes with the page: this is all but never seen. */
const ExtensionsUnread = lazyPart(async () => (await import('./ExtensionsUnread.tsx')).ExtensionsUnread);
const FirstRun = lazyPart(async () => (await import('./FirstRun.tsx')).FirstRun);

const FILTER = {
  q: parseAsString.withDefault(''),
  state: parseAsStringLiteral(EXTENSION_STATES),
  kind: parseAsStringLiteral(EXTENSION_KINDS),
};

/** Every extension, narrowed by state, kind and words; the filter stands in the address. */
export function ExtensionsView({ folder }: { folder: string }) {
  const { data } = useQuery(queries.extensions());
  const [filter, setFilter] = useQueryStates(FILTER, { history: 'replace' });

  if (data === undefined) return <ExtensionsUnread />;

  const all = data.extensions;
  const own = all.filter((extension) => extension.state !== 'excluded');
  const shown = sortExtensions(filterExtensions(all, filter));
  const kinds = EXTENSION_KINDS.filter((kind) => all.some((extension) => extension.kind === kind));

  const counts = countStates(all);
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        title="Extensions"
        actions={<NewExtension />}
        note={
          <span className="tabular">
            {own.length === 0
              ? 'None yet'
              : sumInWords(
                  own.length,
                  own.reduce((sum, extension) => sum + extension.tools.length, 0),
                )}
          </span>
        }
      />
      {own.length === 0 ? <FirstRun folder={folder} watch={data.watch.mode} /> : null}
      {all.length === 0 ? null : (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <SearchField
              label="Search extensions"
              placeholder="Name, tool, description or error"
              value={filter.q}
              onChange={(q) => void setFilter({ q: q === '' ? null : q })}
              className="w-full sm:w-72"
            />
            {kinds.length < 2 ? null : (
              <Select
                aria-label="Kind"
                className="w-36"
                value={filter.kind ?? ''}
                onChange={(event) => void setFilter({ kind: kinds.find((kind) => kind === event.target.value) ?? null })}
              >
                <option value="">Every kind</option>
                {kinds.map((kind) => (
                  <option key={kind} value={kind}>
                    {kindInWords(kind)}
                  </option>
                ))}
              </Select>
            )}
            <StateChips
              label="State"
              states={counts.map(({ state }) => state)}
              countOf={(state) => counts.find((each) => each.state === state)?.count}
              value={filter.state}
              onChange={(state) => void setFilter({ state })}
            />
          </div>
          {shown.length === 0 ? (
            <div className="rounded border bg-panel">
              <EmptyState title="No extension fits" actions={<Button onClick={() => void setFilter(null)}>Show all {all.length}</Button>}>
                {filter.q === ''
                  ? 'None is in this state and of this kind.'
                  : `None has “${filter.q}” in its name, tools, description or error.`}
              </EmptyState>
            </div>
          ) : (
            <ExtensionTable extensions={shown} />
          )}
        </>
      )}
    </div>
  );
}

function sumInWords(extensions: number, tools: number): string {
  return `${extensions} ${extensions === 1 ? 'extension' : 'extensions'} with ${tools} ${tools === 1 ? 'tool' : 'tools'}`;
}
