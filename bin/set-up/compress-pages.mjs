import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/** Below it a file is smaller than the headers it comes with. */
const LEAST_BYTES = 500;

/** Beside each script and style of the pages in `build` the same once more as `*.br`: lib/http/compressed-files.ts sends it. */
export async function compressPages(build) {
  const folder = path.join(build, 'static');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(css|js)$/.test(file));
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(path.join(folder, file));
      if (bytes.length < LEAST_BYTES) return;
      const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(path.join(folder, `${file}.br`), await promisify(brotliCompress)(bytes, { params }));
    }),
  );
}
