import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/** Below it a file is smaller than the headers it comes with. */
const LEAST_BYTES = 500;

/**
 * V8 reads a function whole only when it is called, on the thread that also paints. Told so in the first line it reads all of
 * them while the script arrives, on a thread of its own; others take it for a comment. Opening a page, nearly all are called:
 * each module of a script is one function, and it makes the rest.
 */
const COMPILE_AHEAD = '//# allFunctionsCalledOnLoad\n';

/**
 * What Next does not do to the scripts and styles of the pages in `build`: scripts are compiled ahead, and beside each file lies
 * the same once more as `*.br`, which lib/api/node/compressed-files.ts sends.
 */
export async function finishScripts(build) {
  const folder = path.join(build, 'static');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(css|js)$/.test(file));
  await Promise.all(files.map((file) => finish(path.join(folder, file))));
}

async function finish(file) {
  let text = readFileSync(file, 'utf8');
  if (file.endsWith('.js') && !text.startsWith(COMPILE_AHEAD)) {
    text = COMPILE_AHEAD + text;
    writeFileSync(file, text);
  }
  const bytes = Buffer.from(text);
  if (bytes.length < LEAST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
}
