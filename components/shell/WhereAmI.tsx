'use client';

import { ChevronRight } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { ListLink } from '#components/ui/ListLink.tsx';
import { partInShort, partOf, placeOf } from './navigation.ts';

/** Breadcrumbs. */
export function WhereAmI() {
  const pathname = usePathname();
  const place = placeOf(pathname);
  const part = partOf(pathname);
  if (place === null) return <span className="min-w-0 flex-1" />;
  return (
    <nav aria-label="Where am I" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1">
        <li className={part === null ? 'truncate font-medium' : 'min-w-8 shrink-[9999] truncate'}>
          {part === null ? (
            <span aria-current="page">{place.name}</span>
          ) : (
            <ListLink href={place.href} className="rounded-sm text-muted hover:text-fg hover:underline">
              {place.name}
            </ListLink>
          )}
        </li>
        {part === null ? null : (
          <li className="flex min-w-0 items-center gap-1">
            <ChevronRight aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span aria-current="page" className="truncate font-medium" title={part}>
              {partInShort(part)}
            </span>
          </li>
        )}
      </ol>
    </nav>
  );
}
