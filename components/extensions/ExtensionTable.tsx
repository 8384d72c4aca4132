'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { cx } from '#components/ui/cx.ts';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { Table, Td, TdNumber, Th, Tr } from '#components/ui/Table.tsx';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { kindAndRuntimeInWords } from './extension-words.ts';
import { CallsOfHour, HourOfExtensions } from './HourOfExtensions.tsx';
import { StateSentence } from './StateSentence.tsx';

/** One row an extension; on a narrow window each row folds into a block. */
export function ExtensionTable({ extensions }: { extensions: readonly Extension[] }) {
  return (
    <div className="rounded border bg-panel">
      <Table label="Extensions" className="table-fixed max-md:block">
        <thead className="max-md:sr-only">
          <tr>
            <Th className="w-[27%] xl:w-[23%]">Extension</Th>
            <Th>State</Th>
            <Th className="w-32 max-xl:hidden">Kind</Th>
            <Th className="w-40 xl:w-44" title="Five minutes a bar; failed calls below the line">
              Calls of the last hour
            </Th>
            <Th className="w-16 text-right xl:w-18">Tools</Th>
            <Th className="w-28 text-right max-lg:hidden">Loaded</Th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          <HourOfExtensions>
            {extensions.map((extension) => (
              <Row key={extension.id} extension={extension} />
            ))}
          </HourOfExtensions>
        </tbody>
      </Table>
    </div>
  );
}

const cell = 'align-top py-2 max-md:block max-md:h-auto max-md:px-4 max-md:py-0';

function Row({ extension }: { extension: Extension }) {
  const quiet = extension.state === 'disabled' || extension.state === 'excluded';
  return (
    <Tr className="relative max-md:flex max-md:flex-col max-md:gap-1 max-md:py-2.5">
      <Td className={cell}>
        <ListLink
          href={PAGES.extension(extension.id)}
          title={extension.id}
          className={cx(
            'focus-inset line-clamp-2 rounded-sm text-base break-all row-link hover:underline',
            quiet ? 'text-muted' : 'font-medium',
          )}
        >
          {extension.id}
        </ListLink>
        {extension.description === '' ? null : (
          <span className="line-clamp-1 break-all text-muted" title={extension.description}>
            <CodeText text={extension.description} />
          </span>
        )}
      </Td>
      <Td className={cell}>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <StateBadge state={extension.state} />
          <StateSentence extension={extension} />
        </span>
        {extension.failure === null || quiet ? null : (
          <span className="mt-0.5 line-clamp-1 break-all text-failed" title={extension.failure.error}>
            <CodeText text={extension.failure.error} />
          </span>
        )}
      </Td>
      <Td className={cx(cell, 'text-muted max-xl:hidden max-md:hidden')}>{kindAndRuntimeInWords(extension)}</Td>
      <Td className={cx(cell, quiet && 'max-md:hidden')}>{quiet ? null : <CallsOfHour extension={extension.id} />}</Td>
      <TdNumber className={cx(cell, 'max-md:hidden', extension.tools.length === 0 && 'text-muted')}>{extension.tools.length}</TdNumber>
      <TdNumber className={cx(cell, 'text-muted max-lg:hidden max-md:hidden')}>
        {extension.loaded_at === null ? '–' : <RelativeTime time={extension.loaded_at} />}
      </TdNumber>
    </Tr>
  );
}
