import { createHmac } from 'node:crypto';

export const SECRETS = ['SIGNING_KEY'];

export const TOOL = {
  label: 'mail',
  name: 'sign_text',
  description: 'Sign a text with the key of the team (HMAC-SHA256).',
  parameters: { text: { type: 'string', required: true, description: 'The text to sign.' } },
  execute: ({ text }) => createHmac('sha256', process.env.SIGNING_KEY).update(String(text)).digest('hex'),
  examples: [{ text: 'Dear Ada,' }],
};
