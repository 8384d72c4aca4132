import type { IncomingMessage, ServerResponse } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathOf } from '../middleware/hosts.ts';

const ADDRESS = '/_next/static/';
const ENDING = '.br';
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=UTF-8'],
  ['.js', 'application/javascript; charset=UTF-8'],
]);

/**
 * Scripts and styles compressed at build time: a seventh smaller than by Next per request, and sent without work during page
 * loads. What can go wrong:
 * - another file is requested: only names found in the folder are served;
 * - a browser does not accept Brotli (none does over plain HTTP from another host) or requests a range: Next serves it;
 * - pages are rebuilt under a running server: Next answers for missing files.
 * @param folder the build
 */
export function createCompressedFiles(folder: string) {
  const root = path.join(folder, 'static');
  let names: Promise<ReadonlySet<string>> | null = null;
  const find = async (): Promise<ReadonlySet<string>> => {
    const found = await readdir(root, { recursive: true }).catch(() => []);
    return new Set(found.filter((name) => name.endsWith(ENDING)).map((name) => name.replaceAll(path.sep, '/').slice(0, -ENDING.length)));
  };

  return {
    /** False: nothing was written, the next handler answers. */
    async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
      const name = pathOf(request);
      const type = TYPES.get(path.extname(name));
      if (!name.startsWith(ADDRESS) || type === undefined) return false;
      if (request.headers.range !== undefined || !takesBrotli(request)) return false;
      names ??= find();
      const file = name.slice(ADDRESS.length);
      if (!(await names).has(file)) return false;
      const body = await readFile(path.join(root, `${file}${ENDING}`)).catch(() => null);
      if (body === null) return false;
      // Names contain a hash of the file.
      response.writeHead(200, {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'br',
        'content-length': body.length,
        'content-type': type,
        vary: 'Accept-Encoding',
      });
      response.end(request.method === 'HEAD' ? undefined : body);
      return true;
    },
  };
}

function takesBrotli(request: IncomingMessage): boolean {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  return accepted.split(',').some((each) => /^\s*br\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(each));
}
