import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('minor garbage collections free the entries of a short-lived map', () => {
  const kept = collectionsOf('ShortLivedMap');
  const usual = collectionsOf('Map');
  expect(usual).toBeGreaterThan(10);
  expect(kept).toBeLessThan(usual / 4);
});

/** Number of major collections for calls that come and go. */
function collectionsOf(kind: 'ShortLivedMap' | 'Map'): number {
  const module = fileURLToPath(new URL('short-lived.ts', import.meta.url));
  const program = `
    import { ShortLivedMap } from ${JSON.stringify(module)};
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    let collections = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
    }).observe({ entryTypes: ['gc'] });
    const map = new ${kind}();
    for (let n = 0; n < 20_000; n += 1) {
      // From here on its table is old.
      if (n === 16) for (const type of ['minor', 'minor', 'minor']) gc({ type });
      map.set(n, Array.from({ length: 600 }, (_, at) => ({ at })));
      map.delete(n - 16);
    }
    setTimeout(() => console.log(collections), 50);`;
  const { stdout } = spawnSync(process.execPath, ['--max-semi-space-size=8', '--expose-gc', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return Number(stdout);
}
