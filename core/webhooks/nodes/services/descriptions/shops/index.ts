/** Shops and payments. */
import type { Services } from '../../description.ts';
import shopify from './shopify.json' with { type: 'json' };
import shopifyTrigger from './shopify-trigger.json' with { type: 'json' };
import stripe from './stripe.json' with { type: 'json' };
import stripeTrigger from './stripe-trigger.json' with { type: 'json' };
import woocommerce from './woocommerce.json' with { type: 'json' };

export const shops = {
  nodes: [[shopify], [stripe], [woocommerce]],
  triggers: [shopifyTrigger, stripeTrigger],
  polls: [],
} as unknown as Services;
