import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/** Smaller files are not worth compressing. */
const LEAST_BYTES = 500;

/**
 * V8 compiles functions on first call, on the main thread. This directive makes Chrome compile all of them on another thread
 * while the script arrives. Opening a page calls nearly all of them.
 */
const COMPILE_AHEAD = '//# allFunctionsCalledOnLoad\n';

/**
 * Post-processes Next's scripts and styles in `build`: adds the compile directive, and a `*.br` file for each, served by
 * lib/api/node/compressed-files.ts.
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
