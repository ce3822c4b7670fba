/** Services of Microsoft. */
import type { Services } from '../../description.ts';
import microsoftExcel from './microsoft-excel.json' with { type: 'json' };
import microsoftOnedrive from './microsoft-onedrive.json' with { type: 'json' };
import microsoftOutlook from './microsoft-outlook.json' with { type: 'json' };
import microsoftOutlookTrigger from './microsoft-outlook-trigger.json' with { type: 'json' };
import microsoftSharePoint from './microsoft-sharepoint.json' with { type: 'json' };
import microsoftTeams from './microsoft-teams.json' with { type: 'json' };
import microsoftTeamsTrigger from './microsoft-teams-trigger.json' with { type: 'json' };

export const microsoft = {
  nodes: [[microsoftExcel], [microsoftOnedrive], [microsoftOutlook], [microsoftSharePoint], [microsoftTeams]],
  triggers: [microsoftTeamsTrigger],
  polls: [microsoftOutlookTrigger],
} as unknown as Services;
