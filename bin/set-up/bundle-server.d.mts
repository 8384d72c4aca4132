import type { BuildOptions } from 'esbuild';

export declare function serverProgram(into?: string, source?: string): [string, ...string[]];
export declare function bundleServer(into?: string, source?: string): Promise<void>;
export declare function programOptions(options: {
  readonly isBundled: (name: string) => boolean;
  readonly textOf: (file: string, text: string) => string;
}): BuildOptions;
export declare function usesPlace(text: string): boolean;
export declare function declarePlace(expressions: { readonly dirname: string; readonly filename: string; readonly url: string }): string;
