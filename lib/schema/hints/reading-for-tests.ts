import { dirname, join } from 'node:path';
import type { RunPlan } from '#lib/contract/run-plan.ts';
import type { ModuleSource } from './declarations.ts';
import { parseModule } from './module-text.ts';
import { readRun, type RunReading } from './read-run.ts';

/** Reads `run` from texts in memory; the entry is `/x/tool.ts`. */
export function readText(entry: string, files: Readonly<Record<string, string>> = {}, entryName = 'tool.ts'): Promise<RunReading> {
  const source: ModuleSource = {
    read: (specifier, from) => {
      const path = join(dirname(from.path), specifier);
      const text = files[path.slice('/x/'.length)];
      return Promise.resolve(
        text === undefined
          ? { ok: false, message: `The file "${specifier}" is not there.`, missing: [path] }
          : { ok: true, module: parseModule(path, text) },
      );
    },
  };
  return readRun(source, parseModule(`/x/${entryName}`, entry), 'tool');
}

export async function planOf(entry: string, files?: Readonly<Record<string, string>>, entryName?: string): Promise<RunPlan> {
  const reading = await readText(entry, files, entryName);
  if (!reading.ok) throw new Error(`${reading.failure.message} (${reading.failure.line}:${reading.failure.column})`);
  return reading.plan;
}

/** The schema of the one parameter `x`. */
export async function schemaOf(type: string, before = '', files?: Readonly<Record<string, string>>): Promise<unknown> {
  const { hints } = await planOf(`${before}\nexport function run(x: ${type}) {}`, files);
  const { properties, $defs } = { properties: {}, $defs: undefined, ...hints?.parameters };
  const x: unknown = Reflect.get(properties, 'x');
  return $defs === undefined ? x : { ...(typeof x === 'object' ? x : {}), $defs };
}

export async function faultOf(entry: string, files?: Readonly<Record<string, string>>, entryName?: string) {
  const reading = await readText(entry, files, entryName);
  if (reading.ok) throw new Error(`It was read: ${JSON.stringify(reading.plan)}`);
  return reading;
}
