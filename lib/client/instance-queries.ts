import { queryOptions, useQuery } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import type { InstanceList } from '#lib/contract/instance.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';

export const instancesKey = ['instances'] as const;

const shape = async () => (await import('#lib/contract/instance.ts')).instanceListSchema;

/** The servers that share the database. Events report changed states; running calls and times of heartbeats have none. */
export const instancesQuery = () =>
  queryOptions({
    queryKey: instancesKey,
    queryFn: ({ signal }) => request(API.instances, shape, { signal }),
  });

/** Files that two servers changed from the same base, without their texts. */
export const conflictsQuery = () =>
  queryOptions({
    queryKey: keys.conflicts,
    queryFn: ({ signal }) => request(API.conflicts, SHAPES.fileConflictList, { signal }),
  });

/** With both texts. */
export const conflictQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.conflicts, id],
    queryFn: ({ signal }) => request(API.conflict(id), SHAPES.extensionConflict, { signal }),
  });

/** For `select`: components render again only when it changes. */
export function aliveInstances({ instances }: InstanceList): number {
  return instances.filter(({ state }) => state !== 'gone').length;
}

/** Whether several servers can share the database; else pages show no instances. */
export function useIsShared(): boolean {
  return useQuery({ ...instancesQuery(), select: ({ shared }) => shared }).data === true;
}
