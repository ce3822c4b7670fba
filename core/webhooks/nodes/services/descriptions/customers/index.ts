/** Customers, their requests, and mails to them. */
import type { Services } from '../../description.ts';
import hubspot from './hubspot.json' with { type: 'json' };
import hubspotTrigger from './hubspot-trigger.json' with { type: 'json' };
import mailchimp from './mailchimp.json' with { type: 'json' };
import sendgrid from './sendgrid.json' with { type: 'json' };

export const customers = {
  nodes: [[hubspot], [mailchimp], [sendgrid]],
  triggers: [hubspotTrigger],
  polls: [],
} as unknown as Services;
