/** Customers, their requests, and mails to them. */
import type { Services } from '../../description.ts';
import brevo from './brevo.json' with { type: 'json' };
import hubspot from './hubspot.json' with { type: 'json' };
import hubspotTrigger from './hubspot-trigger.json' with { type: 'json' };
import mailchimp from './mailchimp.json' with { type: 'json' };
import odoo from './odoo.json' with { type: 'json' };
import quickbooks from './quickbooks.json' with { type: 'json' };
import sendgrid from './sendgrid.json' with { type: 'json' };

export const customers = {
  nodes: [[brevo], [hubspot], [mailchimp], [odoo], [quickbooks], [sendgrid]],
  triggers: [hubspotTrigger],
  polls: [],
} as unknown as Services;
