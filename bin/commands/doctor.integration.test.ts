import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runCommand } from './command-for-tests.ts';
import { doctorCommand } from './doctor.ts';

const reportSchema = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({ name: z.string(), state: z.enum(['ok', 'warning', 'failed']), message: z.string(), fix: z.string().nullable() }),
  ),
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-doctor-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function examine(env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await runCommand(doctorCommand, ['--json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
  });
  const { ok, checks } = reportSchema.parse(JSON.parse(stdout));
  expect(code).toBe(ok ? 0 : 1);
  return { ok, check: (name: string) => checks.find((one) => one.name === name), names: checks.map(({ name }) => name) };
}

describe('switchboard doctor', () => {
  it('passes in an empty folder, and leaves it empty', async () => {
    const { ok, names, check } = await examine();
    expect(names).toEqual(['node', 'npm', 'python', 'uv', 'settings', 'extensions', 'data', 'disk', 'watching', 'port', 'database']);
    expect(ok).toBe(true);
    expect(check('data')).toMatchObject({ state: 'ok', message: expect.stringContaining('the first start creates it') });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('prints a line for each check, and the fix below a problem', async () => {
    const { code, stdout } = await runCommand(doctorCommand, [], { cwd: folder, env: { PATH: folder, PORT: '0' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}node {8}\d+\./);
    expect(stdout).toMatch(/\nwarning {2}python {6}python3 not found\n {21}Python extensions need Python 3\.10/);
  });

  it('warns about a Python that is too old', async () => {
    writeFileSync(path.join(folder, 'python3'), '#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.7.1" && exit 0\nexit 9\n');
    chmodSync(path.join(folder, 'python3'), 0o755);
    const { ok, check } = await examine({ PYTHON: './python3' });
    expect(ok).toBe(true);
    expect(check('python')).toMatchObject({ state: 'warning', message: 'Python 3.7.1 is too old' });
  });

  it('fails on an invalid setting, a file in place of a folder, and an invalid port', async () => {
    writeFileSync(path.join(folder, 'extensions'), '');
    const { ok, check } = await examine({ WATCH: 'sometimes', PORT: 'many' });
    expect(ok).toBe(false);
    expect(check('settings')).toMatchObject({ state: 'failed' });
    expect(check('extensions')).toMatchObject({ state: 'failed', message: expect.stringContaining('is a file') });
    expect(check('port')).toMatchObject({ state: 'failed', message: 'PORT is many' });
  });

  it('distinguishes a running Switchboard from another program on the port', async () => {
    let health: unknown = { status: 'other' };
    const server = createServer((_request, response) => response.end(JSON.stringify(health)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const port = String((server.address() as AddressInfo).port);
      expect((await examine({ PORT: port })).check('port')).toMatchObject({ state: 'failed', fix: expect.stringContaining('PORT') });
      health = { status: 'ok', snapshot_version: 3 };
      expect((await examine({ PORT: port })).check('port')).toMatchObject({
        state: 'ok',
        message: expect.stringContaining('a running Switchboard'),
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('fails on a database of another program, and on a server that does not answer', async () => {
    mkdirSync(path.join(folder, 'data'));
    new DatabaseSync(path.join(folder, 'data/switchboard.db')).exec('create table other (id integer)');
    expect((await examine()).check('database')).toMatchObject({ state: 'failed' });
    const { check } = await examine({ DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/switchboard' });
    expect(check('database')).toMatchObject({ state: 'failed', message: expect.stringContaining('127.0.0.1:1/switchboard') });
    expect(JSON.stringify(check('database'))).not.toContain('hidden');
  });
});
