'use client';

import { ChevronLeft } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Mark } from '#components/ui/Mark.tsx';
import { placeOf } from './navigation.ts';

/** The way back from a page within a list. The page itself has the title. */
export function Breadcrumb() {
  const pathname = usePathname();
  const place = placeOf(pathname);
  if (place === null || place.href === pathname) return <Brand />;
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1">
      <ListLink
        href={place.href}
        className="-ml-1 flex min-w-0 items-center gap-1 rounded-sm text-muted hover:text-fg hover:underline pointer-coarse:min-h-11"
      >
        <ChevronLeft aria-hidden className="size-4 shrink-0" />
        <span className="truncate">{place.name}</span>
      </ListLink>
    </nav>
  );
}

/** On phones, where no sidebar shows it. */
function Brand() {
  return (
    <div className="min-w-0 flex-1">
      <span className="flex items-center gap-2 font-semibold md:hidden">
        <Mark className="size-5 shrink-0" />
        <span className="truncate max-sm:sr-only">Switchboard</span>
      </span>
    </div>
  );
}
