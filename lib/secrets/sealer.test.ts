import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealer, openSealer } from './sealer.ts';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(40);

describe('a sealed value', () => {
  it('opens with its key and purpose, and reveals nothing of the value', () => {
    const sealer = createSealer([OLD]);
    const sealed = sealer.seal('hunter2 – pässword', 'secret:A');
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/);
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('hunter2');
    expect(sealer.open(sealed, 'secret:A')).toBe('hunter2 – pässword');
    expect(sealer.seal('hunter2 – pässword', 'secret:A')).not.toBe(sealed);
  });

  it('does not open for another purpose, with another key, or when it was changed', () => {
    const sealer = createSealer([OLD]);
    const sealed = sealer.seal('value', 'secret:A');
    expect(sealer.open(sealed, 'secret:B')).toBeNull();
    expect(createSealer([NEW]).open(sealed, 'secret:A')).toBeNull();
    const [format, id, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(sealer.open([format, id, bytes.toString('base64url')].join('.'), 'secret:A')).toBeNull();
    for (const nonsense of ['', 'v1', 'v1..', `v1.${id}.AAAA`, 'value']) expect(sealer.open(nonsense, 'secret:A')).toBeNull();
  });

  it('opens after a key rotation, and is reported for re-encryption', () => {
    const sealed = createSealer([OLD]).seal('value', 'x');
    const rotated = createSealer([NEW, OLD]);
    expect(rotated.open(sealed, 'x')).toBe('value');
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.isCurrent(rotated.seal('value', 'x'))).toBe(true);
  });
});

describe('the key', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sealing-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function open(configured: readonly string[] = []) {
    const opened = openSealer(folder, configured);
    if (!opened.ok) throw new Error(opened.reason);
    return opened.sealer;
  }

  it('is generated once, for the owner of the folder only', () => {
    const sealed = open().seal('value', 'x');
    const file = path.join(folder, 'secrets-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(open().open(sealed, 'x')).toBe('value');
  });

  it('of the variable comes first, and the file still opens older values', () => {
    const sealed = open().seal('value', 'x');
    const sealer = open([NEW]);
    expect(sealer.open(sealed, 'x')).toBe('value');
    expect(sealer.isCurrent(sealed)).toBe(false);
    expect(open([NEW]).open(sealer.seal('other', 'x'), 'x')).toBe('other');
  });

  it('is rotated with a new first line', () => {
    const sealed = open().seal('value', 'x');
    const file = path.join(folder, 'secrets-key');
    writeFileSync(file, `${NEW}\n${readFileSync(file, 'utf8')}`);
    expect(open().open(sealed, 'x')).toBe('value');
    expect(open().isCurrent(sealed)).toBe(false);
  });

  it('in a damaged file stops the start, and is not replaced', () => {
    const file = path.join(folder, 'secrets-key');
    writeFileSync(file, '');
    expect(openSealer(folder, [])).toMatchObject({ ok: false, reason: expect.stringContaining('is damaged') });
    writeFileSync(file, 'short\n');
    expect(openSealer(folder, [NEW])).toMatchObject({ ok: false, reason: expect.stringContaining('at least 32 characters') });
    expect(readFileSync(file, 'utf8')).toBe('short\n');
  });
});
