/** Services that send messages. */
import type { Services } from '../../description.ts';
import discord from './discord.json' with { type: 'json' };
import mattermost from './mattermost.json' with { type: 'json' };
import slack from './slack.json' with { type: 'json' };
import slack1Messages from './slack-1-messages.json' with { type: 'json' };
import slackTrigger from './slack-trigger.json' with { type: 'json' };
import telegram from './telegram.json' with { type: 'json' };
import telegramTrigger from './telegram-trigger.json' with { type: 'json' };
import twilio from './twilio.json' with { type: 'json' };
import whatsapp from './whatsapp.json' with { type: 'json' };
import whatsappTrigger from './whatsapp-trigger.json' with { type: 'json' };

export const messages = {
  nodes: [
    [discord],
    [mattermost],
    [{ ...slack, versions: [1], resources: { ...slack.resources, message: slack1Messages } }, slack],
    [telegram],
    [twilio],
    [whatsapp],
  ],
  triggers: [slackTrigger, telegramTrigger, whatsappTrigger],
  polls: [],
} as unknown as Services;
