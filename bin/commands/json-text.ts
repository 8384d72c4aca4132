import { escapeControl } from '#lib/host/escape-control.ts';

/**
 * JSON of the same value, in which characters that steer a terminal or turn its line stand as `\uXXXX`. JSON itself leaves some
 * of them as they are; between its texts there are none but the ends of lines.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).split('\n').map(escapeControl).join('\n');
}
