import type { FormCase } from './form-cases.ts';

export const LISTS: readonly FormCase[] = [
  {
    tool: 'list_texts',
    async fill(form) {
      for (const [index, text] of ['10', 'b', ''].entries()) {
        await form.press('Add an item to it');
        await form.type(`/it/${index}`, text);
      }
    },
    sent: { it: ['10', 'b', ''] },
  },
  {
    tool: 'list_numbers',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0', '1.5');
      await form.press('Add an item to it');
      await form.type('/it/1', '-2');
    },
    sent: { it: [1.5, -2] },
  },
  {
    tool: 'list_choices',
    async fill(form) {
      await form.check('/it', 'c');
      await form.check('/it', 'a');
    },
    sent: { it: ['c', 'a'] },
  },
  {
    tool: 'list_objects',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0/name', 'Rome');
      await form.type('/it/0/nights', '2');
      await form.press('Add an item to it');
      await form.type('/it/1/name', 'Bari');
      await form.press('Move item 2 up');
      await form.press('Duplicate item 1');
      await form.type('/it/1/nights', '1');
    },
    sent: { it: [{ name: 'Bari' }, { name: 'Bari', nights: 1 }, { name: 'Rome', nights: 2 }] },
  },
  {
    tool: 'list_lists',
    async fill(form) {
      await form.press('Add an item to it');
      await form.press('Add an item to Item 1');
      await form.type('/it/0/0', '1');
      await form.press('Add an item to Item 1');
      await form.type('/it/0/1', '2');
      await form.press('Add an item to it');
    },
    sent: { it: [[1, 2], []] },
  },
  {
    tool: 'list_unions',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0', '5');
      await form.press('Add an item to it');
      await form.form('Item 2', 'Whole number');
      await form.type('/it/1', '5');
      await form.press('Add an item to it');
      await form.form('Item 3', 'Object with name, nights');
      await form.type('/it/2/name', 'x');
    },
    sent: { it: ['5', 5, { name: 'x' }] },
  },
  {
    tool: 'list_anything',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0', '{"a": [true]}');
    },
    sent: { it: [{ a: [true] }] },
  },
  { tool: 'list_required', fill: (form) => form.send('it', 'Send an empty list'), sent: { it: [] } },
  {
    tool: 'place_pair',
    async fill(form) {
      await form.type('/it/0', '1');
      await form.type('/it/1', '2');
    },
    sent: { it: ['1', 2] },
  },
  {
    tool: 'place_rest',
    async fill(form) {
      await form.type('/it/0', 'n');
      await form.press('Add an item to it');
      await form.type('/it/1', '3');
    },
    sent: { it: ['n', 3] },
  },
  {
    tool: 'place_draft_07',
    async fill(form) {
      await form.type('/it/0', '0.5');
      await form.answer('/it/1', 'false');
    },
    sent: { it: [0.5, false] },
  },
];
