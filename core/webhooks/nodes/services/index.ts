/** The nodes of services. Each is a description of its own. */
import type { NodeType } from '../../node-api/node-type.ts';
import type { PollDescription, ServiceDescription, TriggerDescription } from './description.ts';
import airtable from './descriptions/airtable.json' with { type: 'json' };
import airtable1 from './descriptions/airtable-1.json' with { type: 'json' };
import airtableTrigger from './descriptions/airtable-trigger.json' with { type: 'json' };
import discord from './descriptions/discord.json' with { type: 'json' };
import github from './descriptions/github.json' with { type: 'json' };
import githubTrigger from './descriptions/github-trigger.json' with { type: 'json' };
import gitlab from './descriptions/gitlab.json' with { type: 'json' };
import gmail from './descriptions/gmail.json' with { type: 'json' };
import gmail1 from './descriptions/gmail-1.json' with { type: 'json' };
import gmailTrigger from './descriptions/gmail-trigger.json' with { type: 'json' };
import googleCalendar from './descriptions/google-calendar.json' with { type: 'json' };
import googleCalendarTrigger from './descriptions/google-calendar-trigger.json' with { type: 'json' };
import googleDocs from './descriptions/google-docs.json' with { type: 'json' };
import googleDrive from './descriptions/google-drive.json' with { type: 'json' };
import googleDriveTrigger from './descriptions/google-drive-trigger.json' with { type: 'json' };
import googleSheets from './descriptions/google-sheets.json' with { type: 'json' };
import googleSheets1 from './descriptions/google-sheets-1.json' with { type: 'json' };
import hubspot from './descriptions/hubspot.json' with { type: 'json' };
import jira from './descriptions/jira.json' with { type: 'json' };
import mattermost from './descriptions/mattermost.json' with { type: 'json' };
import microsoftOutlook from './descriptions/microsoft-outlook.json' with { type: 'json' };
import microsoftOutlookTrigger from './descriptions/microsoft-outlook-trigger.json' with { type: 'json' };
import microsoftTeams from './descriptions/microsoft-teams.json' with { type: 'json' };
import n8n from './descriptions/n8n.json' with { type: 'json' };
import notion from './descriptions/notion.json' with { type: 'json' };
import notionTrigger from './descriptions/notion-trigger.json' with { type: 'json' };
import shopify from './descriptions/shopify.json' with { type: 'json' };
import shopifyTrigger from './descriptions/shopify-trigger.json' with { type: 'json' };
import slack from './descriptions/slack.json' with { type: 'json' };
import slackMessages1 from './descriptions/slack-1-messages.json' with { type: 'json' };
import slackTrigger from './descriptions/slack-trigger.json' with { type: 'json' };
import stripe from './descriptions/stripe.json' with { type: 'json' };
import stripeTrigger from './descriptions/stripe-trigger.json' with { type: 'json' };
import supabase from './descriptions/supabase.json' with { type: 'json' };
import telegram from './descriptions/telegram.json' with { type: 'json' };
import telegramTrigger from './descriptions/telegram-trigger.json' with { type: 'json' };
import trello from './descriptions/trello.json' with { type: 'json' };
import twilio from './descriptions/twilio.json' with { type: 'json' };
import wordpress from './descriptions/wordpress.json' with { type: 'json' };
import { clearSheet, deleteRowsOrColumns, removeSheet } from './google-sheets/change-sheet.ts';
import { lookUpRows, readRange } from './google-sheets/read-range.ts';
import { readRows } from './google-sheets/read-rows.ts';
import { googleSheetsTrigger } from './google-sheets/sheets-trigger.ts';
import { appendToRange, clearRange, updateRange, upsertRange } from './google-sheets/write-range.ts';
import { appendOrUpdateRows, appendRows, updateRows } from './google-sheets/write-rows.ts';
import { notion1 } from './notion-1.ts';
import { nodeOfVersions } from './older-versions.ts';
import { pollNode } from './poll-node.ts';
import { type OperationHandler, serviceNode } from './service-node.ts';
import { triggerNode } from './trigger-node.ts';

const descriptions = [
  discord,
  github,
  gitlab,
  googleCalendar,
  googleDocs,
  googleDrive,
  hubspot,
  jira,
  mattermost,
  microsoftOutlook,
  microsoftTeams,
  n8n,
  shopify,
  stripe,
  supabase,
  telegram,
  trello,
  twilio,
  wordpress,
] as unknown as ServiceDescription[];

const polls = [
  airtableTrigger,
  gmailTrigger,
  googleCalendarTrigger,
  googleDriveTrigger,
  microsoftOutlookTrigger,
  notionTrigger,
] as unknown as PollDescription[];

const triggers = [
  githubTrigger,
  shopifyTrigger,
  slackTrigger,
  stripeTrigger,
  telegramTrigger,
] as unknown as TriggerDescription[];

const sheetHandlers: Record<string, OperationHandler> = {
  append: appendRows,
  appendOrUpdate: appendOrUpdateRows,
  clear: clearSheet,
  delete: deleteRowsOrColumns,
  read: readRows,
  remove: removeSheet,
  update: updateRows,
  appendToRange,
  clearRange,
  lookUpRows,
  readRange,
  updateRange,
  upsertRange,
};

export const serviceNodeTypes: NodeType[] = [
  ...descriptions.map((description) => serviceNode(description)),
  ...triggers.map(triggerNode),
  ...polls.map(pollNode),
  googleSheetsTrigger,
  nodeOfVersions([
    serviceNode({
      ...slack,
      versions: [1],
      resources: { ...slack.resources, message: slackMessages1 },
    } as unknown as ServiceDescription),
    serviceNode(slack as unknown as ServiceDescription),
  ]),
  nodeOfVersions([
    serviceNode(gmail1 as unknown as ServiceDescription),
    serviceNode(gmail as unknown as ServiceDescription),
  ]),
  nodeOfVersions([
    serviceNode(notion1 as unknown as ServiceDescription),
    serviceNode(notion as unknown as ServiceDescription),
  ]),
  nodeOfVersions([
    serviceNode(airtable1 as unknown as ServiceDescription),
    serviceNode(airtable as unknown as ServiceDescription),
  ]),
  nodeOfVersions([
    serviceNode(googleSheets1 as unknown as ServiceDescription, sheetHandlers),
    serviceNode(googleSheets as unknown as ServiceDescription, sheetHandlers),
  ]),
];
