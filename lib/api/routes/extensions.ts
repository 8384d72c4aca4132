import {
  declareRequestSchema,
  extensionDependenciesSchema,
  installPreviewSchema,
  installRequestSchema,
} from '#lib/contract/dependencies.ts';
import {
  extensionDetailSchema,
  extensionListSchema,
  extensionSchema,
  keepAliveRequestSchema,
  reloadReportSchema,
  reloadRequestSchema,
  revisionRequestSchema,
  revisionSchema,
  watchStateSchema,
  conflictChoiceSchema,
} from '#lib/contract/extension.ts';
import {
  extensionLogPageSchema,
  extensionLogQuerySchema,
  extensionResourcesSchema,
  extensionSettingsSchema,
} from '#lib/contract/extension-reports.ts';
import { failureSchema } from '#lib/contract/failure.ts';
import {
  newExtensionMadeSchema,
  newExtensionSchema,
  undoneSchema,
  undoPlanSchema,
  undoQuerySchema,
  undoRequestSchema,
} from '#lib/contract/source-file.ts';
import { ok } from '#lib/contract/result.ts';
import { revisionComparisonSchema, revisionPairSchema } from '#lib/contract/revision-comparison.ts';
import { named, routesOf } from '../route.ts';
import type { Route } from '../route.ts';
import { WRITING_SOURCES } from './sources.ts';

named('Failure', failureSchema);
named('Revision', revisionSchema);
const ID = 'The id of the extension, such as `weather` or `tools/get_weather`.';
const route = routesOf({ tag: 'extensions', parameter: ID, unknown: 'extension_not_found' });

export const extensionRoutes = [
  route('GET /api/v1/extensions', 'extensions.read', 'listExtensions', {
    summary: 'All extensions.',
    keepsText: true,
    response: named('ExtensionList', extensionListSchema),
    handle: ({ host }) => ok(host.extensions.list()),
  }),
  // Administrative, as all writes of sources: they become running code.
  route('POST /api/v1/extensions', 'extensions.edit', 'newExtension', {
    summary: 'Write a new extension from a template.',
    body: named('NewExtension', newExtensionSchema),
    response: named('NewExtensionMade', newExtensionMadeSchema),
    problems: ['state_conflict', 'source_read_only'],
    detail: ({ body: { kind, name } }) => ({ kind, name }),
    handle: ({ host, body, requester }) => host.sources.begin(body, requester.actor),
  }),
  route('POST /api/v1/extensions/reload', 'extensions.reload', 'reloadExtensions', {
    summary: 'Scan the folder now, and retry failed extensions.',
    body: named('ReloadRequest', reloadRequestSchema),
    response: named('ReloadReport', reloadReportSchema),
    problems: ['extension_not_found', 'extensions_unreadable'],
    detail: ({ body }) => (body.extensions === undefined ? {} : { extensions: body.extensions.join(', ') }),
    handle: ({ host, body, requester }) => host.extensions.reload(body.extensions ?? null, requester.actor),
  }),
  route('POST /api/v1/watch/self-test', 'extensions.reload', 'testWatching', {
    summary: 'Test file watching with a probe file.',
    response: named('WatchState', watchStateSchema),
    handle: async ({ host }) => ok(await host.extensions.testWatching()),
  }),
  route('GET /api/v1/extensions/:id', 'extensions.read', 'getExtension', {
    summary: 'An extension with its revisions, its live status and its newest logs.',
    response: named('ExtensionDetail', extensionDetailSchema),
    handle: ({ host, parameter }) => host.extensions.get(parameter),
  }),
  route('GET /api/v1/extensions/:id/logs', 'extensions.read', 'readExtensionLog', {
    summary: 'The output and log of an extension, starting after the previous page.',
    query: extensionLogQuerySchema,
    response: named('ExtensionLogPage', extensionLogPageSchema),
    handle: ({ host, parameter, query }) => host.extensions.logs(parameter, query),
  }),
  route('GET /api/v1/extensions/:id/resources', 'extensions.read', 'readExtensionResources', {
    summary: 'Memory and processor time of the processes of an extension over the last minutes.',
    response: named('ExtensionResources', extensionResourcesSchema),
    handle: ({ host, parameter }) => host.extensions.resources(parameter),
  }),
  route('GET /api/v1/extensions/:id/settings', 'extensions.read', 'readExtensionSettings', {
    summary: 'The effective settings of an extension, with the source of each and how to change it.',
    response: named('ExtensionSettings', extensionSettingsSchema),
    handle: ({ host, parameter }) => host.extensions.settings(parameter),
  }),
  route('GET /api/v1/extensions/:id/compare', 'extensions.read', 'compareRevisions', {
    summary: 'A comparison of two revisions: sources, changes for callers, and recent and saved calls that the second would refuse.',
    query: revisionPairSchema,
    response: named('RevisionComparison', revisionComparisonSchema),
    problems: ['revision_not_found'],
    handle: ({ host, parameter, query }) => host.extensions.compare(parameter, query),
  }),
  route('GET /api/v1/extensions/:id/undo', 'extensions.read', 'planUndo', {
    summary: 'The file changes that restore one revision of an extension.',
    tag: 'sources',
    query: undoQuerySchema,
    response: named('UndoPlan', undoPlanSchema),
    problems: ['revision_not_found'],
    handle: ({ host, parameter, query }) => host.extensions.planUndo(parameter, query.revision),
  }),
  route('POST /api/v1/extensions/:id/undo', 'extensions.edit', 'undoExtension', {
    summary: 'Restore the files. Responds when the affected extensions are loaded or have failed.',
    tag: 'sources',
    body: named('UndoRequest', undoRequestSchema),
    response: named('Undone', undoneSchema),
    problems: [...WRITING_SOURCES, 'state_conflict', 'revision_not_found'],
    detail: ({ body }) => ({ revision: body.revision, files: Object.keys(body.files).join(', ') }),
    handle: ({ host, parameter, body, requester }) => host.extensions.undo(parameter, body, requester.actor),
  }),
  route('GET /api/v1/extensions/:id/dependencies', 'extensions.read', 'getDependencies', {
    summary: 'Declared packages, installed packages, and the newest install with its output.',
    response: named('ExtensionDependencies', extensionDependenciesSchema),
    problems: ['state_conflict'],
    handle: ({ host, parameter }) => host.extensions.dependencies(parameter),
  }),
  route('GET /api/v1/extensions/:id/dependencies/preview', 'extensions.read', 'previewInstall', {
    summary: 'Packages of an install, with versions and download sizes. The install then uses exactly these.',
    response: named('InstallPreview', installPreviewSchema),
    problems: ['state_conflict'],
    handle: ({ host, parameter }) => host.extensions.previewInstall(parameter),
  }),
  // Administrative: it fetches code that the extension runs.
  route('POST /api/v1/extensions/:id/install', 'extensions.edit', 'installDependencies', {
    summary: 'Start an install of the declared packages. Responds immediately; `dependencies.changed` events report progress and end.',
    body: named('InstallRequest', installRequestSchema),
    response: extensionDependenciesSchema,
    problems: ['state_conflict'],
    detail: () => ({ change: 'install' }),
    handle: ({ host, parameter, body, requester }) => host.extensions.install(parameter, body, requester.actor),
  }),
  route('POST /api/v1/extensions/:id/dependencies', 'extensions.edit', 'declareDependency', {
    summary: 'Add the package of an unresolved import to the declaration of the extension.',
    body: named('DeclareRequest', declareRequestSchema),
    response: extensionDependenciesSchema,
    problems: [...WRITING_SOURCES, 'state_conflict', 'source_not_found'],
    detail: ({ body }) => ({ package: body.package }),
    handle: ({ host, parameter, body, requester }) => host.extensions.declarePackage(parameter, body.package, requester.actor),
  }),
  route('POST /api/v1/extensions/:id/install/cancel', 'extensions.edit', 'cancelInstall', {
    summary: 'Stop the running install; nothing is installed.',
    response: extensionDependenciesSchema,
    problems: ['state_conflict'],
    detail: () => ({ change: 'cancel install' }),
    handle: ({ host, parameter }) => host.extensions.cancelInstall(parameter),
  }),
  change('restart', 'extensions.restart', 'End its process, forget its crashes and start it again.'),
  change('disable', 'extensions.switch', 'Withdraw its tools, also over a restart.'),
  change('enable', 'extensions.switch', 'Load it again.'),
  // Administrative: it decides which source runs.
  route('POST /api/v1/extensions/:id/conflicts/:conflict', 'extensions.edit', 'settleConflict', {
    summary: 'Choose one of two texts that were saved on two instances.',
    part: 'The id of the conflict.',
    body: named('ConflictChoice', conflictChoiceSchema),
    response: named('Extension', extensionSchema),
    problems: ['conflict_not_found'],
    detail: ({ part, body }) => ({ conflict: part, keep: body.keep }),
    handle: ({ host, parameter, part, body, requester }) => host.extensions.settleConflict(parameter, part, body, requester.actor),
  }),
  changeRevision('rollback', 'Serve an earlier revision until the next save.'),
  changeRevision('pin', 'Serve one revision whatever is saved.'),
  change('unpin', 'extensions.pin', 'Serve the newest again.'),
  route('POST /api/v1/extensions/:id/keep-alive', 'extensions.switch', 'keepExtensionAlive', {
    summary: 'Keep its process without calls, let it end, or decide automatically.',
    body: named('KeepAliveRequest', keepAliveRequestSchema),
    response: extensionSchema,
    problems: ['state_conflict'],
    detail: ({ body }) => ({ change: 'keep-alive', keep: body.keep }),
    handle: ({ host, parameter, body, requester }) => host.extensions.keepAlive(parameter, body.keep, requester.actor),
  }),
];

function change(
  name: 'restart' | 'disable' | 'enable' | 'unpin',
  action: 'extensions.restart' | 'extensions.switch' | 'extensions.pin',
  summary: string,
): Route {
  return route(`POST /api/v1/extensions/:id/${name}`, action, `${name}Extension`, {
    summary,
    response: extensionSchema,
    problems: ['state_conflict'],
    detail: () => ({ change: name }),
    handle: ({ host, parameter, requester }) => host.extensions[name](parameter, requester.actor),
  });
}

function changeRevision(name: 'rollback' | 'pin', summary: string): Route {
  return route(`POST /api/v1/extensions/:id/${name}`, 'extensions.pin', `${name}Extension`, {
    summary,
    body: named('RevisionRequest', revisionRequestSchema),
    response: extensionSchema,
    problems: ['state_conflict', 'revision_not_found'],
    detail: ({ body }) => ({ change: name, revision: body.revision }),
    handle: ({ host, parameter, body, requester }) => host.extensions[name](parameter, body.revision, requester.actor),
  });
}
