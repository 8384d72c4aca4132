export const TOOL = {
  label: 'greeting',
  name: 'sign_letter',
  description: 'Put the signature of the team under a letter.',
  parameters: { letter: { type: 'string', required: true, description: 'The letter without a signature.' } },
  execute({ letter }) {
    const signature = process.env.SIGNATURE;
    if (!signature) throw new Error('SIGNATURE is not set. Put a line SIGNATURE=… into the file .env beside extension.js.');
    return `${letter}\n\n${signature}`;
  },
  examples: [{ letter: 'Dear Ada,' }],
};
