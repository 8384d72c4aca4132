import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Tool } from 'switchboard';
import { ToolError } from 'switchboard';

let measured = 0;

export const TOOL: Tool<{ most: number }> = {
  label: 'files',
  name: 'measure_workspace',
  description: 'Add up the sizes of the files at the top of the workspace.',
  parameters: {
    most: { type: 'integer', default: 1000, minimum: 1, description: 'Refuse when there are more files than this.' },
  },
  annotations: { readOnlyHint: true },
  timeout_ms: 30_000,
  async execute({ most }, ctx) {
    const names = await readdir(ctx.workspace_root);
    if (names.length > most) {
      throw new ToolError(`There are ${names.length} files, more than \`most\` (${most}). Raise \`most\`.`, {
        kind: 'invalid_parameters',
        data: { files: names.length },
      });
    }
    let bytes = 0;
    for (const [index, name] of names.entries()) {
      ctx.signal.throwIfAborted();
      const file = await stat(path.join(ctx.workspace_root, name));
      if (file.isFile()) bytes += file.size;
      ctx.progress(index + 1, names.length, name);
    }
    ctx.log.info('Measured', { files: names.length, bytes });
    measured += 1;
    return { files: names.length, bytes };
  },
  examples: [{}],
};

export function status() {
  return { measured };
}
