/** Of the places that only a team has, loaded with them. */
export { KeyRound as TokensIcon, ScrollText as AuditIcon, Users as TeamIcon } from 'lucide-react';
