/** The nodes of mails. */
import type { NodeType } from '../../node-api/node-type.ts';
import { emailTrigger } from './email-trigger.ts';
import { sendEmail } from './send-email.ts';

export const mailNodeTypes: NodeType[] = [sendEmail, emailTrigger];
