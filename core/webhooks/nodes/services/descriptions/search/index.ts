/** Search on the web. */
import type { Services } from '../../description.ts';
import perplexity from './perplexity.json' with { type: 'json' };
import perplexity1 from './perplexity-1.json' with { type: 'json' };

export const search = {
  nodes: [[perplexity1, perplexity]],
  triggers: [],
  polls: [],
} as unknown as Services;
