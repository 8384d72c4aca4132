import { currentHost } from '#lib/host/current-host.ts';
import { AbsentTool } from '#components/playground/AbsentTool.tsx';

/** Responds with 404 and still waits for the tool to load. */
export default function ToolNotFound() {
  return <AbsentTool callTimeoutMs={currentHost().config.callTimeoutMs} />;
}
