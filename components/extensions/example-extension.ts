/** Shown until there is an extension. */
export const EXAMPLE_EXTENSION = `export const TOOL = {
  label: 'Greeting',
  name: 'say_hello',
  description: 'Greets somebody by name.',
  parameters: { name: { type: 'string', required: true } },
  async execute({ name }) {
    return \`Hello, \${name}!\`;
  },
};
`;
