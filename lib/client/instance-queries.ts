import { useQuery } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import type { InstanceList } from '#lib/contract/instance.ts';
import { keys } from './queries.ts';
import { readQuery } from './request.ts';
import { SHAPES } from './shapes.ts';

export const instancesKey = ['instances'] as const;

const shape = async () => (await import('#lib/contract/instance.ts')).instanceListSchema;

/** The servers that share the database. Events report changed states; running calls and times of heartbeats have none. */
export const instancesQuery = () => readQuery(instancesKey, API.instances, shape);

/** Files that two servers changed from the same base, without their texts. */
export const conflictsQuery = () => readQuery(keys.conflicts, API.conflicts, SHAPES.fileConflictList);

/** With both texts. */
export const conflictQuery = (id: string) => readQuery([...keys.conflicts, id], API.conflict(id), SHAPES.extensionConflict);

/** For `select`: components render again only when it changes. */
export function aliveInstances({ instances }: InstanceList): number {
  return instances.filter(({ state }) => state !== 'gone').length;
}

/** Whether several servers can share the database; else pages show no instances. */
export function useIsShared(): boolean {
  return useQuery({ ...instancesQuery(), select: ({ shared }) => shared }).data === true;
}
