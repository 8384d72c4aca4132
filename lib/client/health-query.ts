import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';

const ADDRESS = '/healthz';
const shape = async () => (await import('#lib/contract/health.ts')).healthSchema;

/** Server health and isolation, read on demand: no event exists for them. */
export const healthQuery = () =>
  queryOptions({
    queryKey: ['health'],
    queryFn: ({ signal }) => request(ADDRESS, shape, { signal }),
  });
