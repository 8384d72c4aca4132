import { slugOf } from './slug.ts';

export const DESCRIPTION = 'Names that fit into addresses.';
export const INSTRUCTIONS = 'Call make_slug for each title; never invent a slug.';

export const TOOL = {
  label: 'text',
  name: 'make_slug',
  description: 'Make a short name for an address out of a title.',
  parameters: { title: { type: 'string', required: true, description: 'Title of a page, for example: Crème brûlée!' } },
  execute: ({ title }: { title: string }) => slugOf(title),
  examples: [{ title: 'Crème brûlée!' }],
};
