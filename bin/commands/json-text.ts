import { escapeControl } from '#lib/host/escape-control.ts';

/**
 * JSON with control and bidirectional characters as `\uXXXX`. JSON.stringify leaves some of them unescaped.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).split('\n').map(escapeControl).join('\n');
}
