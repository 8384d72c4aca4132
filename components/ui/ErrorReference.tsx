/**
 * By what the error is found in the server's log; nothing for one that happened in the browser. Every page loads this with its
 * error pages, so it is plain text, which a press selects whole.
 */
export function ErrorReference({ digest }: { digest: string | undefined }) {
  if (digest === undefined) return null;
  return (
    <p className="text-sm">
      Reference <code className="break-all select-all">{digest}</code>
    </p>
  );
}
