/** Services of Google. */
import type { Services } from '../../description.ts';
import gmail from './gmail.json' with { type: 'json' };
import gmail1 from './gmail-1.json' with { type: 'json' };
import gmailTrigger from './gmail-trigger.json' with { type: 'json' };
import googleCalendar from './google-calendar.json' with { type: 'json' };
import googleCalendarTrigger from './google-calendar-trigger.json' with { type: 'json' };
import googleContacts from './google-contacts.json' with { type: 'json' };
import googleDocs from './google-docs.json' with { type: 'json' };
import googleDrive from './google-drive.json' with { type: 'json' };
import googleDrive2 from './google-drive-2.json' with { type: 'json' };
import googleDriveTrigger from './google-drive-trigger.json' with { type: 'json' };
import googleSheets from './google-sheets.json' with { type: 'json' };
import googleSheets1 from './google-sheets-1.json' with { type: 'json' };
import googleSlides from './google-slides.json' with { type: 'json' };
import googleTasks from './google-tasks.json' with { type: 'json' };
import youtube from './youtube.json' with { type: 'json' };

export const google = {
  nodes: [
    [gmail1, gmail],
    [googleCalendar],
    [googleContacts],
    [googleDocs],
    [
      { ...googleDrive2, versions: [1], fields: { authentication: ['serviceAccount', 'oAuth2'] } },
      googleDrive2,
      googleDrive,
    ],
    [googleSheets1, googleSheets],
    [googleSlides],
    [googleTasks],
    [youtube],
  ],
  triggers: [],
  polls: [gmailTrigger, googleCalendarTrigger, googleDriveTrigger],
} as unknown as Services;
