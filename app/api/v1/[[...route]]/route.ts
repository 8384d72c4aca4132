import { answerByApi } from '#lib/api/current-api.ts';

/** The same app that `server.ts` hands requests to, mounted in Next: for servers that leave every address to it. */
export { answerByApi as DELETE, answerByApi as GET, answerByApi as PATCH, answerByApi as POST, answerByApi as PUT };
