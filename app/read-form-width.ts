import { cookies } from 'next/headers';
import { FORM_WIDTH_COOKIE, parseFormWidth } from '#components/playground/form-width.ts';

/** Percent of the width of the playground. */
export async function readFormWidth(): Promise<number> {
  return parseFormWidth((await cookies()).get(FORM_WIDTH_COOKIE)?.value);
}
