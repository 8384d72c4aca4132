import { z } from 'zod';
import { bytesOf } from './visible-text.ts';

const BYTES_OF_A_TOKEN = 4;
const mediaSchema = z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) });

/** About how many tokens a value costs as JSON. Pictures and sounds are counted by each model in its own way, so not here. */
export function tokensInWords(value: object): string {
  const read = mediaSchema.safeParse(value);
  const media = read.success ? read.data.content.filter(({ type }) => type === 'image' || type === 'audio') : [];
  const counted = read.success ? { ...value, content: read.data.content.filter((part) => !media.includes(part)) } : value;
  const tokens = Math.ceil(bytesOf(JSON.stringify(counted)) / BYTES_OF_A_TOKEN);
  const left = media.length === 0 ? '' : `, without ${media.length} ${media.length === 1 ? 'picture or sound' : 'pictures or sounds'}`;
  return `about ${tokens.toLocaleString('en')} tokens${left} (estimated as ${BYTES_OF_A_TOKEN} bytes each)`;
}
