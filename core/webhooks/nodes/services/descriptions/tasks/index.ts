/** Tasks and projects. */
import type { Services } from '../../description.ts';
import asana from './asana.json' with { type: 'json' };
import calendlyTrigger from './calendly-trigger.json' with { type: 'json' };
import clickup from './clickup.json' with { type: 'json' };
import jira from './jira.json' with { type: 'json' };
import linear from './linear.json' with { type: 'json' };
import todoist from './todoist.json' with { type: 'json' };
import trello from './trello.json' with { type: 'json' };
import typeformTrigger from './typeform-trigger.json' with { type: 'json' };

export const tasks = {
  nodes: [[asana], [clickup], [jira], [linear], [todoist], [trello]],
  triggers: [calendlyTrigger, typeformTrigger],
  polls: [],
} as unknown as Services;
