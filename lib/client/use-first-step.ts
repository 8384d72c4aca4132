import { useQuery } from '@tanstack/react-query';
import { PAGES } from '#lib/contract/paths.ts';
import { queries } from './queries.ts';

export interface FirstStep {
  readonly href: string;
  readonly label: string;
  /** Why nothing can be called; null where something can. */
  readonly obstacle: string | null;
}

const CHOOSE: FirstStep = { href: PAGES.tools, label: 'Choose a tool', obstacle: null };
const WRITE: FirstStep = {
  href: PAGES.extensions,
  label: 'Show the extensions',
  obstacle: 'There is no tool to call yet. Write an extension that brings one, or mend one that failed.',
};

/** What to do where nothing has been called: to the tools, until it is known that there is none. Told by the extensions, which the frame has on every page. */
export function useFirstStep(): FirstStep {
  const { data } = useQuery(queries.extensions());
  return data === undefined || data.extensions.some(({ tools }) => tools.length > 0) ? CHOOSE : WRITE;
}
