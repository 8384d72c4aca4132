import { createBuilder } from '#lib/loader/builder.ts';

/** esbuild's process ends with the last builder. Tests start hundreds of hosts one after the other: one that stays open keeps it. */
createBuilder({ extensionsDir: '', artifactsDir: '', authorModule: '' });
