import { useQuery } from '@tanstack/react-query';
import { PAGES } from '#lib/contract/paths.ts';
import { queries } from './queries.ts';

export interface FirstStep {
  readonly href: string;
  readonly label: string;
  /** Why nothing can be called; null if something can. */
  readonly obstacle: string | null;
}

const CHOOSE: FirstStep = { href: PAGES.tools, label: 'Choose a tool', obstacle: null };
const WRITE: FirstStep = {
  href: PAGES.extensions,
  label: 'Show extensions',
  obstacle: 'There is no tool to call yet. Write an extension with a tool, or fix one that failed.',
};

/**
 * The first step before any call: opens the tools, or says that none exist. Derived from the extensions, which every page has.
 */
export function useFirstStep(): FirstStep {
  const { data } = useQuery(queries.extensions());
  return data === undefined || data.extensions.some(({ tools }) => tools.length > 0) ? CHOOSE : WRITE;
}
