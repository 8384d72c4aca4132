import { mkdir, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost;
afterEach(() => living.remove());

const TOOLS = `const tool = (name: string, execute: () => unknown) => ({ label: 'Test', name, description: 'Throws.', parameters: {}, execute });
export const TOOLS = [
  tool('throw_now', () => { throw new Error('the pump is off'); }),
  tool('throw_late', () => { setTimeout(() => { throw new Error('the pump is off'); }); return 'returned'; }),
];
`;
const PYTHON = `import asyncio

def now():
    raise ValueError("the pump is off")

async def late():
    async def fail():
        raise ValueError("the pump is off")
    asyncio.get_running_loop().call_soon(lambda: now())
    return "returned"

def tool(name, execute):
    return {"label": "Test", "name": name, "description": "Throws.", "parameters": {}, "execute": execute}

TOOLS = [tool("throw_now", now), tool("throw_late", late)]
`;

async function stacksInLog(): Promise<readonly string[]> {
  const lines = async () => must(await living.host.extensions.get('pump')).logs.map(({ message }) => message);
  await living.call('throw_now');
  await living.call('throw_late');
  return vi.waitUntil(
    async () => {
      const stacks = (await lines()).filter((message) => message.includes('the pump is off') && message.includes('\n'));
      return stacks.length >= 2 ? stacks : null;
    },
    { timeout: 20_000 },
  );
}

describe('stacks in the log of an extension', () => {
  it.each([
    ['TypeScript', 'pump/extension.ts', TOOLS],
    ['Python', 'pump/extension.py', PYTHON],
  ])('in %s name files relative to the extensions folder, for errors during and after a call', async (_, file, source) => {
    living = await startHost({ [file]: source });
    const stacks = await stacksInLog();
    for (const stack of stacks) {
      expect(stack).toContain(file);
      expect(stack).not.toContain(living.folder);
    }
  });

  it('name them the same way when the folder is a link', async () => {
    living = await startHost({ '_elsewhere/extension.ts': TOOLS });
    const elsewhere = path.join(living.folder, 'elsewhere');
    await mkdir(elsewhere);
    await rename(path.join(living.folder, 'extensions/_elsewhere/extension.ts'), path.join(elsewhere, 'extension.ts'));
    await symlink(elsewhere, path.join(living.folder, 'extensions/pump'));
    await living.reload();
    for (const stack of await stacksInLog()) {
      expect(stack).toContain('pump/extension.ts:');
      expect(stack).not.toContain(living.folder);
    }
  });
});
