import type { IncomingMessage, ServerResponse } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Scripts and styles of pages as they were compressed when the pages were built: a seventh smaller than what Next compresses
 * anew for each request, and sent without work while the first picture of a page is waited for. What can go wrong:
 * - somebody asks for a file that is none of these: only names that were found in the folder are answered;
 * - a browser does not take Brotli (none does over plain HTTP from elsewhere), or wants a part: Next answers;
 * - the pages are built anew under a running server: what is gone is left to Next, which says so.
 */
export interface CompressedFiles {
  /** False: nothing was written, somebody else has to answer. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

const ADDRESS = '/_next/static/';
const ENDING = '.br';
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=UTF-8'],
  ['.js', 'application/javascript; charset=UTF-8'],
]);

/** `folder`: where the build is. */
export function createCompressedFiles(folder: string): CompressedFiles {
  const root = path.join(folder, 'static');
  let names: Promise<ReadonlySet<string>> | null = null;
  const find = async (): Promise<ReadonlySet<string>> => {
    const found = await readdir(root, { recursive: true }).catch(() => []);
    return new Set(found.filter((name) => name.endsWith(ENDING)).map((name) => name.replaceAll(path.sep, '/').slice(0, -ENDING.length)));
  };

  return {
    async answer(request, response) {
      const name = request.url?.split('?', 1)[0] ?? '';
      const type = TYPES.get(path.extname(name));
      if (!name.startsWith(ADDRESS) || type === undefined) return false;
      if (request.headers.range !== undefined || !takesBrotli(request)) return false;
      names ??= find();
      const file = name.slice(ADDRESS.length);
      if (!(await names).has(file)) return false;
      const body = await readFile(path.join(root, `${file}${ENDING}`)).catch(() => null);
      if (body === null) return false;
      // Names carry a hash of what is in the file.
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
