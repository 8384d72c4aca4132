/**
 * Reference of the error in the server log; none for browser errors. Every page loads this with its error page, so it is plain
 * text that one click selects.
 */
export function ErrorReference({ digest }: { digest: string | undefined }) {
  if (digest === undefined) return null;
  return (
    <p className="text-sm">
      Reference <code className="break-all select-all">{digest}</code>
    </p>
  );
}
