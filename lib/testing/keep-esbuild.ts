import { createBuilder } from '#lib/loader/builder.ts';

/** esbuild's process ends with the last builder. An open builder lets the hundreds of hosts in tests share one process. */
createBuilder({ extensionsDir: '', artifactsDir: '', authorModule: '' });
