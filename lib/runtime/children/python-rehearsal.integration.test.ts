import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('./python', import.meta.url));
const RUN = `import sys
sys.path.insert(0, sys.argv[1])
from switchboard_child.rehearsal import rehearse_kind
print(rehearse_kind(sys.argv[2]), *(name for name in sys.modules if 'sample' in name))`;

it.each(['tools', 'tool'])('the rehearsed sample of kind %s has a result, and leaves no module behind', (kind) => {
  expect(execFileSync('python3', ['-I', '-B', '-c', RUN, HERE, kind], { encoding: 'utf8' })).toMatch(/^\{"sum":1(?:\.0)?\}\n$/);
});
