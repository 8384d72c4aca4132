/** Apart from navigation.ts, so that the icons are not in the first scripts of a page. */
export {
  KeyRound as SecretsIcon,
  Layers as ToolsetsIcon,
  Server as InstancesIcon,
  Ticket as TokensIcon,
  ScrollText as AuditIcon,
  Users as TeamIcon,
} from 'lucide-react';
