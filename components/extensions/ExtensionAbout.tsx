'use client';

import { CopyButton } from '#components/ui/CopyButton.tsx';
import { Facts } from '#components/ui/Panel.tsx';
import { RelativeTime, useClockText } from '#components/ui/RelativeTime.tsx';
import type { ExtensionDetail } from '#lib/contract/extension.ts';
import { kindAndRuntimeInWords, permissionInWords, processInWords } from './extension-words.ts';

/** Where it comes from, what it may do and how its process is. */
export function ExtensionAbout({ extension }: { extension: ExtensionDetail }) {
  const process = useClockText((now) => processInWords(extension.process, now));
  return (
    <div className="flex flex-col gap-4 p-4">
      <Facts
        items={[
          { name: 'Name', value: <span className="foreign">{extension.name}</span> },
          { name: 'Kind', value: kindAndRuntimeInWords(extension) },
          {
            name: 'File',
            value: (
              <span className="flex items-center gap-1">
                <code className="min-w-0 break-all">{extension.path}</code>
                <CopyButton text={extension.path} label="Copy the path" className="size-6" />
              </span>
            ),
          },
          { name: 'Loaded', value: extension.loaded_at === null ? 'not loaded' : <RelativeTime time={extension.loaded_at} /> },
          { name: 'Process', value: process },
          {
            name: 'May',
            value:
              extension.permissions.length === 0
                ? 'only work with its own folder and the workspace'
                : extension.permissions.map(permissionInWords).join(', '),
          },
          ...(extension.content_hash === null
            ? []
            : [
                {
                  name: 'Content',
                  value: (
                    <span className="flex items-center gap-1">
                      <code className="min-w-0 truncate text-xs" title={extension.content_hash}>
                        {extension.content_hash}
                      </code>
                      <CopyButton text={extension.content_hash} label="Copy the content hash" className="size-6" />
                    </span>
                  ),
                },
              ]),
          ...(extension.instructions === ''
            ? []
            : [{ name: 'For agents', value: <span className="foreign">{extension.instructions}</span> }]),
        ]}
      />
      <p className="max-w-prose text-xs text-muted">
        What an extension may do is set by EXTENSION_ALLOW when the server starts. The isolation contains faults; it is no protection
        against code that means harm.
      </p>
    </div>
  );
}
