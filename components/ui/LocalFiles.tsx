const REASONS = {
  hidden: 'hidden',
  packages: 'installed packages',
  link: 'symbolic link',
  large: 'above 1 MiB',
  special: 'not a readable file',
  deep: 'more than 12 folders deep',
  many: 'beyond 20,000 files',
};

interface LocalFile {
  readonly path: string;
  readonly reason: keyof typeof REASONS;
}

interface Holder {
  readonly id: string;
  readonly local_files: readonly LocalFile[];
}

/** Files that only some instances have, and why they are not shared. */
export function LocalFiles({ instances, className }: { instances: readonly Holder[]; className?: string }) {
  return (
    <ul aria-label="Local files" className={className}>
      {localFilesOf(instances).map(({ path, reason, holders }) => (
        <li key={`${path} ${reason}`} className="min-w-0">
          <code className="break-all">{path}</code>{' '}
          <span className="text-muted">
            {REASONS[reason]}, on {holders.length === instances.length && holders.length > 1 ? 'all instances' : holders.join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

function localFilesOf(instances: readonly Holder[]): readonly (LocalFile & { readonly holders: readonly string[] })[] {
  const found = instances.flatMap(({ id, local_files: files }) => files.map((file) => ({ ...file, id })));
  const same = Map.groupBy(found, ({ path, reason }) => `${path} ${reason}`);
  return [...same.values()].flatMap((files) => {
    const [first] = files;
    return first === undefined ? [] : [{ path: first.path, reason: first.reason, holders: files.map(({ id }) => id) }];
  });
}
