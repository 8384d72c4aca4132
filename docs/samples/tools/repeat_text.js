/**
 * Write a text several times, one below the other.
 * @param {string} text - What is written
 * @param {number} [times=2] - How often
 */
export function run(text, times = 2) {
  return Array.from({ length: times }, () => text).join('\n');
}
