import type { ReactNode } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Panel } from '#components/ui/Panel.tsx';
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

export interface FirstRunProps {
  folder: string;
  watch: WatchState['mode'];
  /** The way to have one made, where it does not stand beside this already. */
  actions?: ReactNode;
}

/** Nothing is here yet: how to write the first extension. */
export function FirstRun({ folder, watch, actions }: FirstRunProps) {
  const byItself = watch === 'native' || watch === 'polling';
  return (
    <Panel title="Write your first extension" actions={actions}>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,22rem)_minmax(0,1fr)] xl:gap-8">
        <ol className="flex list-decimal flex-col gap-2 pl-5">
          <li>
            Make a folder with any name, for example <code className="text-sm">hello</code>, in
            <code className="my-1 block w-fit max-w-full rounded-sm bg-subtle px-1.5 py-0.5 text-sm break-all">{folder}</code>
          </li>
          <li>
            Put this text into <code className="text-sm">hello/extension.ts</code> and save it.
          </li>
          <li>
            {byItself ? 'It appears here by itself' : 'Press Reload, and it appears here'}; its tool can be called at once. What is wrong
            with it, if anything, appears here too, with the line to mend.
          </li>
        </ol>
        <CodeBlock code={TEMPLATE} language="typescript" label="A first extension" copyLabel="Copy the extension" />
      </div>
    </Panel>
  );
}
