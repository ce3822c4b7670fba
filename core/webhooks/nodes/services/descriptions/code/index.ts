/** Repositories of code, and workflows. */
import type { Services } from '../../description.ts';
import github from './github.json' with { type: 'json' };
import githubTrigger from './github-trigger.json' with { type: 'json' };
import gitlab from './gitlab.json' with { type: 'json' };
import n8n from './n8n.json' with { type: 'json' };

export const code = {
  nodes: [[github], [gitlab], [n8n]],
  triggers: [githubTrigger],
  polls: [],
} as unknown as Services;
