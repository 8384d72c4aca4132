import type { Route } from './route.ts';
import { accountRoutes } from './routes/accounts.ts';
import { callRoutes } from './routes/calls.ts';
import { channelRoutes } from './routes/channels.ts';
import { extensionRoutes } from './routes/extensions.ts';
import { failureRoutes } from './routes/failures.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { instanceRoutes } from './routes/instances.ts';
import { savedCallRoutes } from './routes/saved-calls.ts';
import { secretRoutes } from './routes/secrets.ts';
import { serverListRoutes } from './routes/servers.ts';
import { serverFeatureRoutes } from './routes/server-features.ts';
import { serverRoutes } from './routes/server.ts';
import { snapshotRoutes } from './routes/snapshots.ts';
import { sourceRoutes } from './routes/sources.ts';
import { toolRoutes } from './routes/tools.ts';
import { toolsetRoutes } from './routes/toolsets.ts';

/**
 * All routes of the API. Pages and their assets are not listed: they are read-only, served by Next, and have the action
 * `pages.read`.
 */
export const ROUTES: readonly Route[] = [
  ...callRoutes,
  ...serverRoutes(() => ROUTES),
  ...accountRoutes,
  ...oauthRoutes,
  ...extensionRoutes,
  ...serverFeatureRoutes,
  ...toolsetRoutes,
  ...serverListRoutes,
  ...secretRoutes,
  ...toolRoutes,
  ...savedCallRoutes,
  ...failureRoutes,
  ...channelRoutes,
  ...sourceRoutes,
  ...snapshotRoutes,
  ...instanceRoutes,
];
