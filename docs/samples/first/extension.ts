export const TOOL = {
  label: 'text',
  name: 'count_words',
  description: 'Count the words of a text.',
  parameters: {
    text: { type: 'string', required: true, description: 'The text whose words are counted.' },
    unique: { type: 'boolean', default: false, description: 'Count each different word once.' },
  },
  execute({ text, unique }: { text: string; unique: boolean }) {
    const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
    return { words: unique ? new Set(words).size : words.length };
  },
  examples: [{ text: 'the more the merrier', unique: true }],
};
