import { expect, test } from 'vitest';
import { readChannelAbout } from './channel-about.ts';
import { parseModule } from './module-text.ts';

const about = (source: string) => readChannelAbout(parseModule('/channels/line.ts', source)).description;

test.each([
  [
    'the comment before the imports',
    `/** Of the file. */\nimport fs from 'node:fs';\n/** Of connect. */\nexport function connect() {}`,
    'Of the file.',
  ],
  ['the comment before the first value', `/**\n * Of the file,\n * in two lines.\n */\nconst queue = [];`, 'Of the file, in two lines.'],
  [
    'the first doc comment, after other comments',
    `#!/usr/bin/env node\n// a line\n/** Of the file. */\n\nexport function recv() {}`,
    'Of the file.',
  ],
  ['the comment of connect', `import fs from 'node:fs';\n/** Of connect. */\nexport async function connect() {}`, 'Of connect.'],
  ['the comment of connect at the top of the file', `/** Of connect. */\nexport const connect = () => {};`, 'Of connect.'],
  [
    'not the comment of another function',
    `/** Of recv. */\nexport function recv() {}\n/** Of connect. */\nexport function connect() {}`,
    'Of connect.',
  ],
  ['nothing without a doc comment', `/* plain */\nexport function connect() {}`, ''],
  ['nothing in an empty file', '', ''],
])('finds %s', (_, source, description) => {
  expect(about(source)).toBe(description);
});
