import { AbsentExtension } from '#components/extensions/ExtensionDetail.tsx';

/** Answered with 404, and all the same a page that waits for its extension. */
export default function ExtensionNotFound() {
  return <AbsentExtension />;
}
