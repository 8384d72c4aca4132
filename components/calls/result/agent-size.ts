import { inThousands } from '#components/ui/in-thousands.ts';
import { bytesOf } from '#components/ui/byte-size.ts';

const BYTES_OF_A_TOKEN = 4;

/** About how many tokens a value costs as JSON. Pictures and sounds are counted by each model in its own way, so not here. */
export function tokensInWords(value: object): string {
  const content: unknown = 'content' in value ? value.content : null;
  const media = Array.isArray(content) ? content.filter(isMedia) : [];
  const counted = Array.isArray(content) ? { ...value, content: content.filter((part) => !isMedia(part)) } : value;
  const tokens = Math.ceil(bytesOf(JSON.stringify(counted)) / BYTES_OF_A_TOKEN);
  const left = media.length === 0 ? '' : `, without ${media.length} ${media.length === 1 ? 'picture or sound' : 'pictures or sounds'}`;
  return `about ${inThousands(tokens)} tokens${left} (estimated as ${BYTES_OF_A_TOKEN} bytes each)`;
}

function isMedia(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && (part.type === 'image' || part.type === 'audio');
}
