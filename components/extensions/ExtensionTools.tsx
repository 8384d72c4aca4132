'use client';

import { useQuery } from '@tanstack/react-query';
import { CodeInText } from '#components/ui/CodeInText.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { queries } from '#lib/client/queries.ts';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** The tools of one extension; each leads to its page. */
export function ExtensionTools({ extension }: { extension: ExtensionDetail }) {
  const { data } = useQuery(queries.tools());
  if (extension.tools.length === 0) {
    return (
      <EmptyState title={extension.kind === 'channel' ? 'A channel has no tools' : 'No tools'}>
        {extension.kind === 'channel'
          ? 'It brings messages in and out.'
          : extension.state === 'failed'
            ? 'They appear once the extension loads: see the failure above.'
            : 'Its tools appear here once it is loaded.'}
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y">
      {sortByName(extension.tools, (name) => name).map((name) => {
        const tool = data?.tools.find((each) => each.name === name);
        return (
          <li key={name} className="relative flex flex-col gap-0.5 px-4 py-2.5 hover:bg-hover">
            <span className="flex flex-wrap items-center gap-2">
              <ListLink href={PAGES.tool(name)} className="focus-inset min-w-0 rounded-sm font-medium break-all row-link hover:underline">
                {name}
              </ListLink>
              {tool === undefined || tool.label === '' ? null : <Badge>{tool.label}</Badge>}
              {tool === undefined || tool.available ? null : <StateBadge state="unavailable" />}
            </span>
            {tool === undefined ? null : (
              <span className="line-clamp-2 text-sm break-words text-muted">
                <CodeInText text={tool.available ? tool.description : (tool.unavailable_reason ?? tool.description)} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
