import { useQuery } from '@tanstack/react-query';
import { queries } from './queries.ts';

/** Whether there is a tool at all; true until that is known. Told by the extensions, which the frame has on every page. */
export function useHasTools(): boolean {
  const { data } = useQuery(queries.extensions());
  return data === undefined || data.extensions.some(({ tools }) => tools.length > 0);
}
