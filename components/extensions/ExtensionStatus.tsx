import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Facts } from '#components/ui/Panel.tsx';
import { Duration } from '#components/ui/RelativeTime.tsx';
import type { ExtensionStatus as Status } from '#lib/contract/extension.ts';

/** What the extension's own `status()` says now. */
export function ExtensionStatus({ status }: { status: Status }) {
  return (
    <div className="flex flex-col gap-3 p-4">
      {status.error === null ? null : <ErrorState title="Its status() failed" detail={status.error} />}
      {status.value === null ? null : Object.keys(status.value).length === 0 ? (
        <p className="text-muted">Its status() answers an empty object.</p>
      ) : (
        <Facts
          items={Object.entries(status.value).map(([name, value]) => ({
            name,
            value: <Value name={name} value={value} />,
          }))}
        />
      )}
      <p className="text-xs text-muted">
        Asked every 5 seconds while this page is open
        {status.duration_ms === null ? null : (
          <>
            ; the last answer took <Duration ms={status.duration_ms} />
          </>
        )}
        .
      </p>
    </div>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return <code>{String(value)}</code>;
  if (typeof value === 'string') return <span className="foreign">{value}</span>;
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" label={name} copyLabel={null} />;
}
