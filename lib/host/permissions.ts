export const PERMISSIONS = ['net', 'read', 'write', 'run', 'addons', 'workers', 'all'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** One `id:permission` pair of EXTENSION_ALLOW; `*` means every extension. */
export interface ExtensionPermission {
  readonly extension: string;
  readonly permission: Permission;
}

/** The permissions of one extension, with `all` expanded. */
export function permissionsOf(extension: string, pairs: readonly ExtensionPermission[]): readonly Exclude<Permission, 'all'>[] {
  const granted = new Set(pairs.filter((pair) => pair.extension === '*' || pair.extension === extension).map((pair) => pair.permission));
  const every = PERMISSIONS.filter((permission): permission is Exclude<Permission, 'all'> => permission !== 'all');
  return granted.has('all') ? every : every.filter((permission) => granted.has(permission));
}
