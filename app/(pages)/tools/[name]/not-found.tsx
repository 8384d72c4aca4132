import { AbsentTool } from '#components/playground/AbsentTool.tsx';
import { currentHost } from '#lib/host/current-host.ts';
import { readFormWidth } from '../../../read-cookies.ts';

/** Responds with 404 and still waits for the tool to load. */
export default async function ToolNotFound() {
  return <AbsentTool callTimeoutMs={currentHost().config.callTimeoutMs} formWidth={await readFormWidth()} />;
}
