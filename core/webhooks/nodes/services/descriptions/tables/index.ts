/** Databases and tables. */
import type { Services } from '../../description.ts';
import airtable from './airtable.json' with { type: 'json' };
import airtable1 from './airtable-1.json' with { type: 'json' };
import airtableTrigger from './airtable-trigger.json' with { type: 'json' };
import baserow from './baserow.json' with { type: 'json' };
import nocodb from './nocodb.json' with { type: 'json' };
import notion from './notion.json' with { type: 'json' };
import { notion1 } from './notion-1.ts';
import notionTrigger from './notion-trigger.json' with { type: 'json' };
import supabase from './supabase.json' with { type: 'json' };

export const tables = {
  nodes: [[airtable1, airtable], [baserow], [nocodb], [notion1, notion], [supabase]],
  triggers: [],
  polls: [airtableTrigger, notionTrigger],
} as unknown as Services;
