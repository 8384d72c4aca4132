import type { FormCase } from './form-cases.ts';

export const UNIONS: readonly FormCase[] = [
  {
    tool: 'either_scalar',
    async fill(form) {
      await form.form('it', 'Whole number');
      await form.type('/it', '12');
    },
    sent: { it: 12 },
  },
  {
    tool: 'either_scalar',
    async fill(form) {
      await form.form('it', 'Text');
      await form.type('/it', '12');
    },
    sent: { it: '12' },
  },
  {
    tool: 'either_list',
    async fill(form) {
      await form.form('it', 'List of texts');
      await form.press('Add an item to it');
      await form.type('/it/0', 'a');
    },
    sent: { it: ['a'] },
  },
  {
    tool: 'either_shape',
    async fill(form) {
      await form.form('it', 'square');
      await form.type('/it/side', '2');
    },
    sent: { it: { kind: 'square', side: 2 } },
  },
  {
    tool: 'either_object',
    async fill(form) {
      await form.form('it', 'Object with path, line');
      await form.type('/it/path', '/tmp');
      await form.type('/it/line', '3');
    },
    sent: { it: { path: '/tmp', line: 3 } },
  },
  {
    tool: 'either_type',
    async fill(form) {
      await form.form('it', 'True or false');
      await form.answer('/it', 'false');
    },
    sent: { it: false },
  },
  {
    tool: 'root_one_of',
    async fill(form) {
      await form.form('the arguments', 'By phone');
      await form.type('/number', '112');
      await form.type('/note', 'now');
    },
    sent: { number: '112', note: 'now' },
  },
  {
    tool: 'root_any_of',
    async fill(form) {
      await form.form('the arguments', 'circle');
      await form.type('/radius', '1');
    },
    sent: { kind: 'circle', radius: 1 },
  },
  { tool: 'root_rules', fill: (form) => form.type('/name', 'n'), sent: { name: 'n' } },
  {
    tool: 'join_all_of',
    async fill(form) {
      await form.type('/a', 'abc');
      await form.type('/b', '1');
    },
    sent: { a: 'abc', b: 1 },
  },
  {
    tool: 'depend_if',
    async fill(form) {
      await form.pick('/country', 'US');
      await form.type('/zip', '02139');
    },
    sent: { country: 'US', zip: '02139' },
  },
  {
    tool: 'depend_if',
    async fill(form) {
      await form.pick('/country', 'DE');
      await form.type('/plz', '10115');
    },
    sent: { country: 'DE', plz: 10115 },
  },
  {
    tool: 'depend_required',
    async fill(form) {
      await form.type('/card', '1234');
      await form.named('textbox', 'owner (required)', 'Ada');
    },
    sent: { card: '1234', owner: 'Ada' },
  },
  {
    tool: 'depend_schemas',
    async fill(form) {
      await form.type('/proxy', 'p');
      await form.type('/port', '8080');
    },
    sent: { proxy: 'p', port: 8080 },
  },
];
