/** Files in the cloud. */
import type { Services } from '../../description.ts';
import dropbox from './dropbox.json' with { type: 'json' };

export const files = {
  nodes: [[dropbox]],
  triggers: [],
  polls: [],
} as unknown as Services;
