import { expect, it } from 'vitest';
import { tokensInWords } from './AgentView.tsx';

it('estimates tokens from the bytes, and labels the number as an estimate', () => {
  expect(tokensInWords({ text: 'x'.repeat(3_989) })).toBe('about 1,000 tokens (estimated as 4 bytes each)');
});

it('does not count the base64 of an image', () => {
  const value = {
    content: [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' },
    ],
  };
  expect(tokensInWords(value)).toBe('about 10 tokens, without 1 picture or sound (estimated as 4 bytes each)');
});
