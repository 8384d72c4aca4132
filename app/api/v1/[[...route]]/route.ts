import { answerByApi } from '#lib/host/current-host.ts';

/** The app of `server.ts`, mounted in Next for servers that route every address to it. */
export { answerByApi as DELETE, answerByApi as GET, answerByApi as PATCH, answerByApi as POST, answerByApi as PUT };
