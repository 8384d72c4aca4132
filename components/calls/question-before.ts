import type { Tool } from '#lib/contract/tool.ts';

/**
 * What is said to whoever is about to run a tool from its history; null where nothing needs to be asked, undefined as long as
 * that is not known, and nothing may run until then. A tool that cannot be read is asked about like one that destroys.
 */
export function questionBefore(tool: Pick<Tool, 'annotations'> | undefined, error: Error | null): string | null | undefined {
  if (tool === undefined)
    return error === null ? undefined : 'The tool could not be read, so it is not known whether it changes or deletes what is there.';
  const { destructiveHint, readOnlyHint } = tool.annotations;
  return destructiveHint === true && readOnlyHint !== true ? 'This tool is marked as one that may change or delete what is there.' : null;
}
