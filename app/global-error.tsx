'use client';

import './globals.css';

export default function GlobalError() {
  return (
    <html lang="en">
      <body className="p-6">
        <title>Not shown · Switchboard</title>
        <h1 className="text-xl font-semibold">The dashboard could not be shown</h1>
        <p className="mt-2 max-w-prose">
          The server is stopping, starting, or has a fault; its log says which. Extensions and calls are not touched by this. Reload the
          page in a moment.
        </p>
      </body>
    </html>
  );
}
