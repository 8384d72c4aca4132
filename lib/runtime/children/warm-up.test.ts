import { expect, it } from 'vitest';
import { createSchemaCompiler } from './validators.ts';
import { warmUp } from './warm-up.ts';

it('rehearses successful and refused calls', async () => {
  const answers: string[] = [];
  const send = (header: object, payload = ''): void => void answers.push(`${'type' in header ? String(header.type) : ''} ${payload}`);
  const stop = warmUp(createSchemaCompiler(), { send, backlog: () => 0 });
  await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(12);
  stop();
  expect(answers).toContain('result {"text":"a","list":[0,null,true]}');
  expect(answers).toContainEqual(expect.stringContaining('error {"kind":"invalid_parameters"'));
});
