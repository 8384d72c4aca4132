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
  'GET /api/v1/extensions/:id/undo': {
    id: 'planUndo',
    summary: 'What it takes to have the files of an extension as they were in one of its revisions.',
    tag: 'sources',
    parameter: 'The id of the extension.',
    query: 'undo',
    answer: 'UndoPlan',
    problems: ['extension_not_found', 'revision_not_found'],
  },
  'POST /api/v1/extensions/:id/undo': {
    id: 'undoExtension',
    summary: 'Write the files back as they were. The answer comes when what follows from it is loaded, or has failed.',
    tag: 'sources',
    parameter: 'The id of the extension.',
    body: 'UndoRequest',
    answer: 'Undone',
    problems: [
      'extension_not_found',
      'revision_not_found',
      'source_changed',
      'source_path_invalid',
      'source_not_text',
      'source_read_only',
      'state_conflict',
    ],
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
