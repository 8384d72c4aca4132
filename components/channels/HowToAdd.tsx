import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Panel } from '#components/ui/Panel.tsx';

const TEMPLATE = `/** Says the time once a minute. */
export function connect() {}

export async function recv() {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  return { text: new Date().toISOString(), sender: 'clock', channel: 'clock' };
}

export async function send(message) {
  console.log(\`to \${message.metadata?.recipient}: \${message.text}\`);
}
`;

/** No channel of one's own yet: what one is, and the two ways to get one. */
export function HowToAdd({ folder, telegram }: { folder: string; telegram: boolean }) {
  return (
    <Panel title="Add a channel of your own">
      <div className="grid min-w-0 gap-4 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)] xl:gap-8">
        <div className="flex min-w-0 flex-col gap-3">
          <p>A channel brings messages in and out: a chat, a mailbox, a queue. It is one file with three functions.</p>
          <ol className="flex list-decimal flex-col gap-2 pl-5">
            <li>
              Put a file such as <code className="text-sm">clock.ts</code> or <code className="text-sm">clock.py</code> into
              <code className="my-1 block w-fit max-w-full rounded-sm bg-subtle px-1.5 py-0.5 text-sm break-all">{folder}/channels</code>
            </li>
            <li>
              <code className="text-sm">connect</code> opens it, <code className="text-sm">recv</code> waits for the next message,{' '}
              <code className="text-sm">send</code> sends one. It appears here as soon as it is saved.
            </li>
            <li>What does not connect is tried again, and says here why; no message is lost meanwhile.</li>
          </ol>
          {telegram ? null : (
            <p className="text-muted">
              For Telegram no file is needed: start the server with <code className="text-sm">TELEGRAM_BOT_TOKEN</code>.
            </p>
          )}
        </div>
        <CodeBlock code={TEMPLATE} language="typescript" label="A first channel" copyLabel="Copy the channel" />
      </div>
    </Panel>
  );
}
