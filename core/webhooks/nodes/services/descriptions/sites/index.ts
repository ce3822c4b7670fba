/** Contents of websites. */
import type { Services } from '../../description.ts';
import wordpress from './wordpress.json' with { type: 'json' };

export const sites = {
  nodes: [[wordpress]],
  triggers: [],
  polls: [],
} as unknown as Services;
