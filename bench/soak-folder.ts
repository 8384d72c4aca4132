import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createExtensionFolder, toolText } from './extension-folder.ts';
import type { ExtensionFolder } from './extension-folder.ts';

/** Extensions of the soak test: saved tools, killed tools, a slow one, one with orphaned programs, and a channel. */
export interface SoakFolder {
  readonly folder: ExtensionFolder;
  /** Saved under load, never killed: no call may fail. */
  readonly reloaded: readonly string[];
  /** Killed under load: their calls may fail. */
  readonly victims: readonly string[];
  /** Not called. */
  readonly others: readonly string[];
  save(tool: string, answer: number): Promise<void>;
}

export const SLOW_TOOL = 'take_time';
export const LEAVING_TOOL = 'leave_program';
export const CHANNEL = 'ticker';
const RELOADED = ['sum_a', 'sum_b', 'sum_c'];
const VICTIMS = ['victim_a', 'victim_b'];

const CHANNEL_TEXT = `let count = 0;
export function connect() {}
export async function recv() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  count += 1;
  return { text: 'tick ' + count, sender: 'clock', channel: '${CHANNEL}' };
}
export function send() {}
`;

const LEAVING_TEXT = `import { spawn } from 'node:child_process';
export const TOOL = {
  label: 'Soak',
  name: '${LEAVING_TOOL}',
  description: 'Starts a program that outlives everything it can.',
  parameters: {},
  execute: () => spawn('sleep', ['900'], { detached: true, stdio: 'ignore', env: {} }).pid,
};
`;

/** @param idle further extensions, which are saved but not called */
export async function createSoakFolder(idle: number): Promise<SoakFolder> {
  const folder = await createExtensionFolder(0);
  const others = Array.from({ length: idle }, (_, at) => `other_${at}`);
  const save = (tool: string, answer: number): Promise<void> => folder.save(tool, toolText(tool, { answer }));
  for (const tool of [...RELOADED, ...VICTIMS]) await save(tool, 0);
  await folder.save(SLOW_TOOL, toolText(SLOW_TOOL, { waitMs: 400 }));
  await folder.save(LEAVING_TOOL, LEAVING_TEXT);
  const channels = path.join(folder.path, 'extensions', 'channels');
  await mkdir(channels, { recursive: true });
  await writeFile(path.join(channels, `${CHANNEL}.ts`), CHANNEL_TEXT);
  await Promise.all(others.map((tool) => save(tool, 0)));
  return { folder, reloaded: RELOADED, victims: VICTIMS, others, save };
}
