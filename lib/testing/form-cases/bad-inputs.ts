import type { Filler } from './filler.ts';

/** Invalid input: how it is entered, its field, and the error message. */
export interface BadInput {
  readonly what: string;
  readonly tool: string;
  readonly fill: (form: Filler) => Promise<void>;
  readonly at: string;
  readonly says: RegExp;
}

const nothing = () => Promise.resolve();

export const BAD_INPUTS: readonly BadInput[] = [
  { what: 'a required number left blank', tool: 'count_integer', fill: nothing, at: '/it', says: /required/ },
  { what: 'a number above its bound', tool: 'count_integer', fill: (form) => form.type('/it', '501'), at: '/it', says: /500 or less/ },
  { what: 'a number below its bound', tool: 'count_integer', fill: (form) => form.type('/it', '0'), at: '/it', says: /1 or more/ },
  { what: 'a decimal for a whole number', tool: 'count_integer', fill: (form) => form.type('/it', '1.5'), at: '/it', says: /whole number/ },
  { what: 'letters for a number', tool: 'count_decimal', fill: (form) => form.type('/it', '12 apples'), at: '/it', says: /not a number/ },
  { what: 'a decimal comma', tool: 'count_decimal', fill: (form) => form.type('/it', '1,5'), at: '/it', says: /1\.5/ },
  {
    what: 'a whole number that cannot be kept exactly',
    tool: 'count_large',
    fill: (form) => form.type('/it', '9007199254740993'),
    at: '/it',
    says: /would not arrive exactly/,
  },
  { what: 'no multiple', tool: 'count_steps', fill: (form) => form.type('/it', '0.3'), at: '/it', says: /multiple of 0\.25/ },
  { what: 'an exclusive bound', tool: 'count_number', fill: (form) => form.type('/it', '0'), at: '/it', says: /more than 0/ },
  { what: 'text that is too short', tool: 'read_length', fill: (form) => form.type('/it', 'ab'), at: '/it', says: /at least 3/ },
  { what: 'text that is too long', tool: 'read_length', fill: (form) => form.type('/it', 'abcdef'), at: '/it', says: /at most 5/ },
  { what: 'text off the pattern', tool: 'read_pattern', fill: (form) => form.type('/it', 'ab-12'), at: '/it', says: /pattern/ },
  { what: 'no e-mail address', tool: 'read_email', fill: (form) => form.type('/it', 'ada at home'), at: '/it', says: /e-mail/ },
  { what: 'no address', tool: 'read_uri', fill: (form) => form.type('/it', 'example.org'), at: '/it', says: /full address/ },
  { what: 'no UUID', tool: 'read_uuid', fill: (form) => form.type('/it', '123'), at: '/it', says: /UUID/ },
  { what: 'no time', tool: 'read_time', fill: (form) => form.type('/it', '25:00'), at: '/it', says: /time/ },
  { what: 'none of a thousand', tool: 'choose_many', fill: (form) => form.type('/it', 'choice-0'), at: '/it', says: /none of the 1000/ },
  { what: 'a required answer not given', tool: 'flag_required', fill: nothing, at: '/it', says: /required/ },
  { what: 'too few items', tool: 'list_numbers', fill: (form) => form.send('it', 'Send an empty list'), at: '/it', says: /at least 1/ },
  {
    what: 'an item not filled in',
    tool: 'list_numbers',
    fill: (form) => form.press('Add an item to it'),
    at: '/it/0',
    says: /number/,
  },
  {
    what: 'half a tuple',
    tool: 'place_pair',
    fill: (form) => form.type('/it/0', 'a'),
    at: '/it',
    says: /at least 2/,
  },
  {
    what: 'what an optional object requires, once it is begun',
    tool: 'nest_object',
    fill: (form) => form.type('/it/number', '3'),
    at: '/it/street',
    says: /required/,
  },
  {
    what: 'what a condition asks for',
    tool: 'depend_if',
    async fill(form) {
      await form.pick('/country', 'US');
      await form.type('/zip', 'abc');
    },
    at: '/zip',
    says: /pattern/,
  },
  {
    what: 'what another name asks for',
    tool: 'depend_required',
    fill: (form) => form.type('/card', '1'),
    at: '/owner',
    says: /required when "card"/,
  },
  {
    what: 'a field of the chosen form',
    tool: 'either_shape',
    fill: (form) => form.form('it', 'circle'),
    at: '/it/radius',
    says: /required/,
  },
  {
    what: 'JSON that cannot be read',
    tool: 'keep_anything',
    fill: (form) => form.type('/it', '{"a": }'),
    at: '/it',
    says: /Line 1, column 7/,
  },
  {
    what: 'half a date',
    tool: 'read_date',
    fill: (form) => form.keys('/it', '02'),
    at: '/it',
    says: /^Enter a date such as 2026-01-31\.$/,
  },
  {
    what: 'a day without its time',
    tool: 'read_moment',
    fill: (form) => form.type('/it', '2026-01-31'),
    at: '/it',
    says: /^Enter a date with time and zone such as 2026-01-31T09:30:00Z\.$/,
  },
  { what: 'none of two that would do', tool: 'root_rules', fill: nothing, at: '/id', says: /^Fill in id or name\.$/ },
  {
    what: 'no form chosen of several',
    tool: 'root_one_of',
    fill: nothing,
    at: '',
    says: /^Choose a form first: By mail, By phone\.$/,
  },
  {
    what: 'a name that stands twice',
    tool: 'map_texts',
    async fill(form) {
      await form.entry('/it', 'team');
      await form.press('Add a name to it');
      await form.keysHere('team');
    },
    at: '/it/tea/~name',
    says: /"team" is taken/,
  },
  {
    what: 'a name off every pattern',
    tool: 'map_patterns',
    fill: (form) => form.entry('/it', 'y-a'),
    at: '/it/y-a/~name',
    says: /one of the patterns/,
  },
];
