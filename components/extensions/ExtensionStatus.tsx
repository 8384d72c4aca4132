import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Facts } from '#components/ui/Panel.tsx';
import { Duration } from '#components/ui/RelativeTime.tsx';
import type { ExtensionDetail } from '#lib/contract/extension.ts';

/** What the extension's own `status()` says now. */
export function ExtensionStatus({ extension }: { extension: ExtensionDetail }) {
  const { status, status_error: error, status_duration_ms: duration } = extension;
  return (
    <div className="flex flex-col gap-3 p-4">
      {error === null ? null : <ErrorState title="Its status() failed" detail={error} />}
      {status === null ? null : Object.keys(status).length === 0 ? (
        <p className="text-muted">Its status() answers an empty object.</p>
      ) : (
        <Facts
          items={Object.entries(status).map(([name, value]) => ({
            name,
            value: <Value name={name} value={value} />,
          }))}
        />
      )}
      <p className="text-xs text-muted">
        Asked every 5 seconds while this page is open
        {duration === null ? null : (
          <>
            ; the last answer took <Duration ms={duration} />
          </>
        )}
        .
      </p>
    </div>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return <code>{String(value)}</code>;
  if (typeof value === 'string') return <span className="foreign">{value}</span>;
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" label={name} copyLabel={null} />;
}
