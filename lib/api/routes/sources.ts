import {
  sourceChangeSchema,
  sourceFileSchema,
  sourceRemovalSchema,
  sourceTreeSchema,
  sourceWriteSchema,
} from '#lib/contract/source-file.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'sources', parameter: 'The path below the extensions folder, such as `weather/extension.ts`.' });
const unreadable = ['source_path_invalid', 'source_not_text', 'source_unreadable', 'source_too_large'] as const;
export const WRITING_SOURCES = [...unreadable, 'source_changed', 'source_read_only'] as const;

export const sourceRoutes = [
  route('GET /api/v1/sources', 'sources.read', 'listSources', {
    summary: 'The files of the extensions folder.',
    response: named('SourceTree', sourceTreeSchema),
    handle: ({ host }) => host.sources.tree(),
  }),
  route('GET /api/v1/sources/:path', 'sources.read', 'readSource', {
    summary: 'One file, with its hash for a change.',
    response: named('SourceFile', sourceFileSchema),
    problems: [...unreadable, 'source_not_found'],
    handle: ({ host, parameter }) => host.sources.read(parameter),
  }),
  route('PUT /api/v1/sources/:path', 'extensions.edit', 'writeSource', {
    summary: 'Change or create a file. Responds when the affected extensions are loaded or have failed.',
    body: named('SourceWrite', sourceWriteSchema),
    response: named('SourceChange', sourceChangeSchema),
    problems: WRITING_SOURCES,
    handle: async ({ host, parameter, body, requester, note }) => {
      note({ before: body.expected_hash });
      const written = await host.sources.write(parameter, body, requester.actor);
      if (written.ok) note({ hash: written.value.hash });
      return written;
    },
  }),
  route('DELETE /api/v1/sources/:path', 'extensions.edit', 'removeSource', {
    summary: 'Remove a file.',
    body: named('SourceRemoval', sourceRemovalSchema),
    response: sourceChangeSchema,
    problems: [...WRITING_SOURCES, 'source_not_found'],
    detail: ({ body }) => ({ before: body.expected_hash, hash: null }),
    handle: ({ host, parameter, body, requester }) => host.sources.remove(parameter, body.expected_hash, requester.actor),
  }),
];
