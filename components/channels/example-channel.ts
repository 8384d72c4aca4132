/** Shown until there is a channel. */
export const EXAMPLE_CHANNEL = `/** Says the time once a minute. */
export function connect() {}

export async function recv() {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  return { text: new Date().toISOString(), sender: 'clock', channel: 'clock' };
}

export async function send(message) {
  console.log(\`to \${message.metadata?.recipient}: \${message.text}\`);
}
`;
