import { ListLink } from './ListLink.tsx';
import { Fragment } from 'react';
import { sortByName } from './name-order.ts';

export interface LinkedNamesProps {
  names: readonly string[];
  /** Null for a name that no longer exists. */
  hrefOf: (name: string) => string | null;
  max?: number;
}

/** Linked names in a sentence: "math, weather and 3 more". */
export function LinkedNames({ names, hrefOf, max = 8 }: LinkedNamesProps) {
  return (
    <span className="min-w-0 break-words">
      {sortByName(names, (name) => name)
        .slice(0, max)
        .map((name, index) => {
          const href = hrefOf(name);
          return (
            <Fragment key={name}>
              {index > 0 ? ', ' : null}
              {href === null ? (
                name
              ) : (
                <ListLink href={href} className="link decoration-line-strong hover:decoration-current">
                  {name}
                </ListLink>
              )}
            </Fragment>
          );
        })}
      {names.length > max ? ` and ${names.length - max} more` : null}
    </span>
  );
}
