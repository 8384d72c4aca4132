import { Switch } from '#components/ui/Switch.tsx';

/** Whether every new revision must pass the check; where it cannot be so, the reason in place of the switch. */
export function RequiredSwitch(props: { required: boolean; onChange: (required: boolean) => void; whyNot: string | null }) {
  const { required, onChange, whyNot } = props;
  return (
    <div className="flex flex-col gap-1 rounded border px-3 py-2">
      {whyNot === null ? (
        <Switch label="Required" checked={required} onChange={onChange} describedBy="required-description" />
      ) : (
        <p className="font-medium">Not required</p>
      )}
      <p id="required-description" className="text-sm text-muted">
        {whyNot ??
          'Each new revision of the extension takes over only when this check passes. Until then the last good one goes on. The server calls the tool at every load; these calls are not in the history.'}
      </p>
    </div>
  );
}
