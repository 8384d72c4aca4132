import type { Operation } from './operation.ts';

const of = { tag: 'sources', parameter: 'The path below the extensions folder, such as `weather/extension.ts`.' } as const;

export const SOURCE_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /api/v1/sources': { id: 'listSources', summary: 'The files of the extensions folder.', tag: 'sources', answer: 'SourceTree' },
  'GET /api/v1/sources/:path': {
    ...of,
    id: 'readSource',
    summary: 'One file, with the hash that a change of it must name.',
    answer: 'SourceFile',
    problems: ['source_not_found', 'source_path_invalid', 'source_not_text'],
  },
  'PUT /api/v1/sources/:path': {
    ...of,
    id: 'writeSource',
    summary: 'Change a file, or make one. The answer comes when what follows from it is loaded, or has failed.',
    body: 'SourceWrite',
    answer: 'SourceChange',
    problems: ['source_changed', 'source_path_invalid', 'source_not_text', 'source_read_only'],
  },
  'DELETE /api/v1/sources/:path': {
    ...of,
    id: 'removeSource',
    summary: 'Remove a file.',
    body: 'SourceRemoval',
    answer: 'SourceChange',
    problems: ['source_not_found', 'source_changed', 'source_path_invalid', 'source_not_text', 'source_read_only'],
  },
};
