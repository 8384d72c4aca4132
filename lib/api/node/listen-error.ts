import { basename } from 'node:path';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** One line: why the port could not be opened, which process has it if visible, and what to do. */
export async function describeListenError(error: unknown, host: string, port: number): Promise<string> {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'EADDRINUSE') {
    const owner = await ownerOf(port);
    const who = owner === null ? 'another program' : `${owner.command} (process ${owner.pid})`;
    return `PORT is ${port}, which ${who} already uses on ${host}. Stop that program, or set PORT to another number; PORT=0 takes any free port.`;
  }
  if (code === 'EACCES') return `PORT is ${port}, which this user may not open. Use a number above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST is "${host}", which this machine does not have. Use 127.0.0.1.`;
  return `The address ${host}:${port} could not be opened (${String(code ?? error)}).`;
}

interface Owner {
  readonly pid: number;
  readonly command: string;
}

/** Linux only, and only processes visible to this user. */
async function ownerOf(port: number): Promise<Owner | null> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const columns = line.trim().split(/\s+/);
      const localPort = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
      if (localPort === port && columns[3] === '0A') sockets.add(`socket:[${columns[9]}]`);
    }
  }
  if (sockets.size === 0) return null;
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (!sockets.has(link)) continue;
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      // Only the program: its arguments may be secret.
      return { pid: Number(pid), command: basename(words.split('\0', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, '?') || 'a program' };
    }
  }
  return null;
}
