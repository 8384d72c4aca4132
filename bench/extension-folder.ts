import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A temporary folder with the extensions, data and workspace of one server. */
export interface ExtensionFolder {
  readonly path: string;
  fileOf(id: string): string;
  save(id: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export const EXTENSIONS = 50;
const made = new Set<string>();

export async function createExtensionFolder(count = EXTENSIONS): Promise<ExtensionFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-bench-'));
  made.add(folder);
  const fileOf = (id: string): string => path.join(folder, 'extensions', id, 'extension.ts');
  const place: ExtensionFolder = {
    path: folder,
    fileOf,
    async save(id, text) {
      await mkdir(path.dirname(fileOf(id)), { recursive: true });
      await writeFile(fileOf(id), text);
    },
    async remove() {
      await rm(folder, { recursive: true, force: true });
      made.delete(folder);
    },
  };
  await mkdir(path.join(folder, 'workspace'));
  for (let at = 0; at < count; at += 1) await place.save(extensionId(at), toolText(toolName(at)));
  return place;
}

/** For an interrupted run. */
export async function removeFolders(): Promise<void> {
  await Promise.all([...made].map((folder) => rm(folder, { recursive: true, force: true })));
}

export function extensionId(at: number): string {
  return `bench_${String(at).padStart(2, '0')}`;
}

export function toolName(at: number, edit = 0): string {
  return `add_${String(at).padStart(2, '0')}_${edit}`;
}

/** A small extension with types and two parameters, one of them optional. `waitMs`: duration of a call. */
export function toolText(name: string, { answer = 0, waitMs = 0 } = {}): string {
  return `interface Sum { left: number; right: number }

const answer: number = ${answer};

export const TOOL = {
  label: 'Benchmark',
  name: '${name}',
  description: 'Adds two numbers.',
  parameters: {
    left: { type: 'number', description: 'The first number', required: true },
    right: { type: 'number', description: 'The second number', default: 1 },
  },
  async execute({ left, right }: Sum): Promise<{ sum: number; answer: number }> {
${waitMs === 0 ? '' : `    await new Promise((resolve) => setTimeout(resolve, ${waitMs}));\n`}    return { sum: left + right, answer };
  },
};
`;
}

/** One extension with many tools, named as on the official servers. */
export function toolsText(count: number): string {
  return `export const TOOLS = Array.from({ length: ${count} }, (_, at) => ({
  label: 'Benchmark',
  name: \`add_\${at}\`,
  description: 'Adds two numbers.',
  parameters: {
    left: { type: 'number', description: 'The first number', required: true },
    right: { type: 'number', description: 'The second number', default: 1 },
  },
  execute: ({ left, right }: { left: number; right: number }) => ({ sum: left + right, answer: 0 }),
}));
`;
}
