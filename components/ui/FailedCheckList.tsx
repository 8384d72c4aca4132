import { ListLink } from './ListLink.tsx';
import { CodeBlock } from './CodeBlock.tsx';

export interface FailedCheckItem {
  readonly name: string;
  readonly tool: string;
  /** Link for running, changing or deleting it. */
  readonly href: string;
  readonly reason: string;
  readonly expected: string;
  /** Null if the tool was not called. */
  readonly came: string | null;
}

/** Failed checks with reason, expected and actual result. */
export function FailedCheckList({ checks }: { checks: readonly FailedCheckItem[] }) {
  return (
    <ul aria-label="Failed checks" className="flex min-w-0 flex-col gap-3">
      {checks.map(({ name, tool, href, reason, expected, came }) => (
        <li key={href} className="flex min-w-0 flex-col gap-2 rounded border p-3">
          <p className="min-w-0 break-words">
            <ListLink href={href} className="rounded-sm font-medium underline underline-offset-2">
              {name}
            </ListLink>{' '}
            <span className="text-muted">
              of <code>{tool}</code>
            </span>
          </p>
          <p className="foreign text-failed">{reason}</p>
          <div className="grid min-w-0 gap-2 md:grid-cols-2">
            <Side title="Expected" text={expected} label={`Expected result of ${name}`} />
            {came === null ? (
              <p className="text-sm text-muted">The tool was not called.</p>
            ) : (
              <Side title="Actual" text={came} label={`Actual result of ${name}`} />
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Side({ title, text, label }: { title: string; text: string; label: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-sm font-medium text-muted">{title}</p>
      <CodeBlock code={text} language="json" label={label} copyLabel={null} wrap className="[&_pre]:max-h-60" />
    </div>
  );
}
