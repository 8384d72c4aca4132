/** @type {import('next').NextConfig} */
export default {
  distDir: process.env.NEXT_DIST_DIR ?? '.next',
  poweredByHeader: false,
  // Over a network a page is a third as large; calls, events and MCP are answered before Next and stay as they are.
  compress: true,
  reactStrictMode: true,
  // A navigation whose server is away stays pending and is retried; without it the browser's error page replaces ours.
  experimental: { useOffline: true },
  // server.ts makes the answer's headers; development traffic comes from loopback only.
  allowedDevOrigins: ['127.0.0.1', 'localhost'],
  // The living host is made by server.ts outside of the bundle; nothing of it may be bundled by accident.
  serverExternalPackages: ['esbuild', 'chokidar', 'kysely', 'oxc-parser'],
  // Bundled, so that a package needs no folder of grammars.
  transpilePackages: ['shiki'],
  // The package is built reproducibly.
  generateBuildId: () => process.env.SWITCHBOARD_BUILD_ID ?? null,
  devIndicators: false,
  // `npm run check` checks the types; a build only builds.
  typescript: { ignoreBuildErrors: true },
};
