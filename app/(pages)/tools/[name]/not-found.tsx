import { currentHost } from '#lib/host/current-host.ts';
import { AbsentTool } from '#components/playground/AbsentTool.tsx';

/** Answered with 404, and all the same a page that waits for its tool. */
export default function ToolNotFound() {
  return <AbsentTool callTimeoutMs={currentHost().config.callTimeoutMs} />;
}
