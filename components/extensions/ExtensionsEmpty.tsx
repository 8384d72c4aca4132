'use client';

import { QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { queries } from '#lib/client/queries.ts';
import type { WatchState } from '#lib/contract/extension.ts';

const TEMPLATE = `export const TOOL = {
  label: 'Greeting',
  name: 'say_hello',
  description: 'Greets somebody by name.',
  parameters: { name: { type: 'string', required: true } },
  async execute({ name }) {
    return \`Hello, \${name}!\`;
  },
};
`;

export function FirstRun({ folder, watch, actions }: { folder: string; watch: WatchState['mode']; actions?: ReactNode }) {
  const isAutomatic = watch === 'native' || watch === 'polling';
  return (
    <Panel title="Write your first extension" actions={actions}>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,22rem)_minmax(0,1fr)] xl:gap-8">
        <ol className="flex list-decimal flex-col gap-2 pl-5">
          <li>
            Create a folder, for example <code className="text-sm">hello</code>, in
            <code className="my-1 block w-fit max-w-full rounded-sm bg-subtle px-2 py-1 text-sm break-all">{folder}</code>
          </li>
          <li>
            Put this text into <code className="text-sm">hello/extension.ts</code> and save it.
          </li>
          <li>
            {isAutomatic ? 'It appears here automatically' : 'Press Reload, and it appears here'}, and its tool can be called. Errors appear
            here too, with file and line.
          </li>
        </ol>
        <CodeBlock code={TEMPLATE} label="Example extension" copyLabel="Copy example" />
      </div>
    </Panel>
  );
}

export function ExtensionsQueryState() {
  const { error, refetch, isFetching } = useQuery(queries.extensions());
  return <QueryState query={{ error, refetch, isFetching }} what="the extensions" lines={8} />;
}
