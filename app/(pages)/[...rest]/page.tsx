import type { Metadata } from 'next';
import { notFound } from 'next/navigation';

export const metadata: Metadata = { title: 'Not found' };

/** What no other page answers for is said within the frame, to those who may see it. */
export default function UnknownPage() {
  notFound();
}
