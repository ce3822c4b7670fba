/** Social networks. */
import type { Services } from '../../description.ts';
import facebook from './facebook.json' with { type: 'json' };
import hackerNews from './hacker-news.json' with { type: 'json' };
import linkedin from './linkedin.json' with { type: 'json' };
import reddit from './reddit.json' with { type: 'json' };
import x from './x.json' with { type: 'json' };

export const social = {
  nodes: [[facebook], [hackerNews], [linkedin], [reddit], [x]],
  triggers: [],
  polls: [],
} as unknown as Services;
