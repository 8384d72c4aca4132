/** The newest part of what a process printed; bounded however much it prints. Control characters stay as they are. */
export interface OutputTail {
  push(bytes: Buffer | string): void;
  /** Null when nothing was printed. */
  text(): string | null;
}

const KEPT_BYTES = 8_192;

export function createOutputTail(keptBytes = KEPT_BYTES): OutputTail {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let cut = false;

  const shrink = (): void => {
    const all = Buffer.concat(chunks);
    cut ||= all.length > keptBytes;
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - keptBytes)));
    chunks = [kept];
    bytes = kept.length;
  };

  return {
    push(added) {
      const chunk = typeof added === 'string' ? Buffer.from(added) : added;
      cut ||= chunk.length > keptBytes;
      chunks.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - keptBytes))));
      bytes += Math.min(chunk.length, keptBytes);
      if (bytes > 4 * keptBytes) shrink();
    },
    text() {
      shrink();
      if (bytes === 0) return null;
      const text = (chunks[0]?.toString('utf8') ?? '').replace(/^\uFFFD+/u, '');
      return cut ? `… (earlier output was cut)\n${text}` : text;
    },
  };
}
