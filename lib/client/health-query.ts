import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';

const ADDRESS = '/healthz';
const shape = async () => (await import('#lib/contract/health.ts')).healthSchema;

/** How the server is, and what keeps extensions apart where it runs; looked at when somebody asks, as no event tells of it. */
export const healthQuery = () =>
  queryOptions({
    queryKey: ['health'],
    queryFn: ({ signal }) => request(ADDRESS, shape, { signal }),
  });
