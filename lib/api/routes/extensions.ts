import {
  extensionDetailSchema,
  extensionListSchema,
  extensionSchema,
  reloadReportSchema,
  reloadRequestSchema,
  revisionRequestSchema,
  revisionSchema,
  watchStateSchema,
} from '#lib/contract/extension.ts';
import { extensionLogPageSchema, extensionLogQuerySchema, extensionResourcesSchema } from '#lib/contract/extension-process.ts';
import { extensionSettingsSchema } from '#lib/contract/extension-settings.ts';
import { failureSchema } from '#lib/contract/failure.ts';
import { newExtensionMadeSchema, newExtensionSchema } from '#lib/contract/new-extension.ts';
import { ok } from '#lib/contract/result.ts';
import { revisionComparisonSchema, revisionPairSchema } from '#lib/contract/revision-comparison.ts';
import { undoneSchema, undoPlanSchema, undoQuerySchema, undoRequestSchema } from '#lib/contract/source-undo.ts';
import { named, route } from '../route.ts';
import { WRITING_SOURCES } from './sources.ts';
import type { Route } from '../route.ts';

const Extension = named('Extension', extensionSchema);
named('Failure', failureSchema);
named('Revision', revisionSchema);
const extension = { tag: 'extensions', parameter: 'The id of the extension, such as `weather` or `tools/get_weather`.' } as const;
const refusals = ['extension_not_found', 'state_conflict'] as const;

export const extensionRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/extensions',
      action: 'extensions.read',
      id: 'listExtensions',
      summary: 'All extensions.',
      tag: 'extensions',
      response: named('ExtensionList', extensionListSchema),
    },
    ({ host }) => ok(host.extensions.list()),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/extensions',
      // Administrative, as are all that write sources: what is written runs.
      action: 'extensions.edit',
      id: 'newExtension',
      summary: 'Write a new extension from a template.',
      tag: 'extensions',
      body: named('NewExtension', newExtensionSchema),
      response: named('NewExtensionMade', newExtensionMadeSchema),
      problems: ['state_conflict', 'source_read_only'],
    },
    ({ host, body, requester, note }) => {
      note({ kind: body.kind, name: body.name });
      return host.sources.begin(body, requester.actor);
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/extensions/reload',
      action: 'extensions.reload',
      id: 'reloadExtensions',
      summary: 'Scan the folder now, and try failed extensions again.',
      tag: 'extensions',
      body: named('ReloadRequest', reloadRequestSchema),
      bodyOptional: true,
      response: named('ReloadReport', reloadReportSchema),
      problems: ['extension_not_found', 'extensions_unreadable'],
    },
    ({ host, body, requester, note }) => {
      if (body.extensions !== undefined) note({ extensions: body.extensions.join(', ') });
      return host.extensions.reload(body.extensions ?? null, requester.actor);
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/watch/self-test',
      action: 'extensions.reload',
      id: 'testWatching',
      summary: 'Test again whether saved files are noticed, with a probe file.',
      tag: 'extensions',
      response: named('WatchState', watchStateSchema),
    },
    async ({ host }) => ok(await host.extensions.testWatching()),
  ),
  route(
    {
      ...extension,
      method: 'GET',
      path: '/api/v1/extensions/:id',
      action: 'extensions.read',
      id: 'getExtension',
      summary: 'An extension with its revisions, its live status and its newest logs.',
      response: named('ExtensionDetail', extensionDetailSchema),
      problems: ['extension_not_found'],
    },
    ({ host, parameter }) => host.extensions.get(parameter),
  ),
  route(
    {
      ...extension,
      method: 'GET',
      path: '/api/v1/extensions/:id/logs',
      action: 'extensions.read',
      id: 'readExtensionLog',
      summary: 'The output and log of an extension, from where the previous page ended.',
      query: extensionLogQuerySchema,
      response: named('ExtensionLogPage', extensionLogPageSchema),
      problems: ['extension_not_found'],
    },
    ({ host, parameter, query }) => host.extensions.logs(parameter, query),
  ),
  route(
    {
      ...extension,
      method: 'GET',
      path: '/api/v1/extensions/:id/resources',
      action: 'extensions.read',
      id: 'readExtensionResources',
      summary: 'Memory and processor time of the processes of an extension over the last minutes.',
      response: named('ExtensionResources', extensionResourcesSchema),
      problems: ['extension_not_found'],
    },
    ({ host, parameter }) => host.extensions.resources(parameter),
  ),
  route(
    {
      ...extension,
      method: 'GET',
      path: '/api/v1/extensions/:id/settings',
      action: 'extensions.read',
      id: 'readExtensionSettings',
      summary: 'The settings that apply to an extension, where each is set and how it is changed.',
      response: named('ExtensionSettings', extensionSettingsSchema),
      problems: ['extension_not_found'],
    },
    ({ host, parameter }) => host.extensions.settings(parameter),
  ),
  route(
    {
      ...extension,
      method: 'GET',
      path: '/api/v1/extensions/:id/compare',
      action: 'extensions.read',
      id: 'compareRevisions',
      summary: 'Two revisions side by side: sources, what callers see, and recent and saved calls that the second would refuse.',
      query: revisionPairSchema,
      response: named('RevisionComparison', revisionComparisonSchema),
      problems: ['extension_not_found', 'revision_not_found'],
    },
    ({ host, parameter, query }) => host.extensions.compare(parameter, query),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/extensions/:id/undo',
      action: 'extensions.read',
      id: 'planUndo',
      summary: 'The file changes that restore the files of an extension as of one of its revisions.',
      tag: 'sources',
      parameter: 'The id of the extension.',
      query: undoQuerySchema,
      response: named('UndoPlan', undoPlanSchema),
      problems: ['extension_not_found', 'revision_not_found'],
    },
    ({ host, parameter, query }) => host.extensions.planUndo(parameter, query.revision),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/extensions/:id/undo',
      action: 'extensions.edit',
      id: 'undoExtension',
      summary: 'Restore the files. The response comes when what follows from it is loaded, or has failed.',
      tag: 'sources',
      parameter: 'The id of the extension.',
      body: named('UndoRequest', undoRequestSchema),
      response: named('Undone', undoneSchema),
      problems: [...WRITING_SOURCES, ...refusals, 'revision_not_found'],
    },
    ({ host, parameter, body, requester, note }) => {
      note({ revision: body.revision, files: Object.keys(body.files).join(', ') });
      return host.extensions.undo(parameter, body, requester.actor);
    },
  ),
  change('restart', 'extensions.restart', 'End its process, forget its crashes and start it again.'),
  change('disable', 'extensions.switch', 'Withdraw its tools, also over a restart.'),
  change('enable', 'extensions.switch', 'Load it again.'),
  changeRevision('rollback', 'Serve an earlier revision until the next save.'),
  changeRevision('pin', 'Serve one revision whatever is saved.'),
  change('unpin', 'extensions.pin', 'Serve the newest again.'),
];

function change(
  name: 'restart' | 'disable' | 'enable' | 'unpin',
  action: 'extensions.restart' | 'extensions.switch' | 'extensions.pin',
  summary: string,
): Route {
  return route(
    {
      ...extension,
      method: 'POST',
      path: `/api/v1/extensions/:id/${name}`,
      action,
      id: `${name}Extension`,
      summary,
      response: Extension,
      problems: refusals,
    },
    ({ host, parameter, requester, note }) => {
      note({ change: name });
      return host.extensions[name](parameter, requester.actor);
    },
  );
}

function changeRevision(name: 'rollback' | 'pin', summary: string): Route {
  return route(
    {
      ...extension,
      method: 'POST',
      path: `/api/v1/extensions/:id/${name}`,
      action: 'extensions.pin',
      id: `${name}Extension`,
      summary,
      body: named('RevisionRequest', revisionRequestSchema),
      response: Extension,
      problems: [...refusals, 'revision_not_found'],
    },
    ({ host, parameter, body, requester, note }) => {
      note({ change: name, revision: body.revision });
      return host.extensions[name](parameter, body.revision, requester.actor);
    },
  );
}
