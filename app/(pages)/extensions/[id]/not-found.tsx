import { AbsentExtension } from '#components/extensions/ExtensionDetail.tsx';

/** Responds with 404 and still waits for the extension to load. */
export default function ExtensionNotFound() {
  return <AbsentExtension />;
}
