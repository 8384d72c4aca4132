export declare const SERVER_ENVIRONMENT: Readonly<Record<string, string>>;
export declare function serverProgram(into?: string): [string, ...string[]];
export declare function bundleServer(into?: string): Promise<void>;
