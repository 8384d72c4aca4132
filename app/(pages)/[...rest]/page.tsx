import type { Metadata } from 'next';
import { notFound } from 'next/navigation';

export const metadata: Metadata = { title: 'Not found' };

/** Unknown addresses get a 404 within the app frame. */
export default function UnknownPage() {
  notFound();
}
