import type { ExtensionRuntime } from '#lib/contract/extension.ts';
import type { Builder } from './build.ts';

/** One builder for all languages; delegates each candidate to the builder of its language. Owns them. */
export function createBuilders(builders: Readonly<Partial<Record<ExtensionRuntime, Builder>>>): Builder {
  return {
    build(candidate, stored) {
      const builder = builders[candidate.runtime];
      if (builder === undefined) throw new Error(`No builder makes extensions that run in ${candidate.runtime}: "${candidate.id}".`);
      return builder.build(candidate, stored);
    },
    hint: async (candidate, failure) => (await builders[candidate.runtime]?.hint?.(candidate, failure)) ?? failure,
    isOwn: (programFile) => Object.values(builders).some((builder) => builder.isOwn(programFile)),
    async close() {
      await Promise.all(Object.values(builders).map((builder) => builder.close()));
    },
  };
}
