/** Loaded only on servers with accounts. */
export { KeyRound as TokensIcon, ScrollText as AuditIcon, Users as TeamIcon } from 'lucide-react';
